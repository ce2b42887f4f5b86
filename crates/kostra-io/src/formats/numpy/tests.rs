use super::*;
use crate::testing::edges;
use crate::{
    ArrayContent, ColumnChoice, ColumnOptions, Loaded, Meaning, ReadOptions, Vertices, read_bytes,
};

fn read_with(bytes: &[u8], options: &ReadOptions) -> Result<Loaded, String> {
    read_bytes("x", bytes, options).map_err(|error| error.to_string())
}

fn read(bytes: &[u8]) -> Result<Loaded, String> {
    read_with(bytes, &ReadOptions::default())
}

/// An array as NumPy saves it.
fn npy(dtype: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let order = shape.ends_with('F');
    let (shape, order) = (shape.trim_end_matches('F'), if order { "True" } else { "False" });
    let header =
        format!("{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': ({shape}), }}\n");
    let length = (header.len() as u16).to_le_bytes();
    [array::MAGIC, &[1, 0], &length, header.as_bytes(), values].concat()
}

fn floats(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn ints(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn a_matrix_has_an_edge_per_pair_with_a_weight() {
    let nan = f64::NAN;
    let values =
        [0.0, 1.5, nan, 2.5, 1.5, 0.0, 3.5, 0.0, 0.0, 0.0, 7.0, f64::INFINITY, 2.5, 0.0, 0.0, 0.0];
    let options = ReadOptions { zeros: Some(Meaning::None), ..ReadOptions::default() };
    let read_sparse = |shape| read_with(&npy("<f8", shape, &floats(&values)), &options).unwrap();
    let loaded = read_sparse("4, 4");
    assert_eq!(loaded.format, Format::NPY);
    assert_eq!(edges(&loaded.parsed.graph), "0-1:1.5 0-3:2.5 1-2:3.5 2-2:7.0");
    let transposed = read_sparse("4, 4F");
    assert_eq!(edges(&transposed.parsed.graph), edges(&loaded.parsed.graph));
    let mut values = [0; 16];
    (values[1], values[4]) = (1, 2);
    let error = read(&npy("|u1", "4, 4", &values)).unwrap_err();
    let sentence = "the entries in row 0, column 1 and in row 1, column 0 differ; make the matrix \
                    symmetric";
    assert!(error.contains(sentence), "{error}");
}

#[test]
fn ids_that_single_floats_round_are_refused() {
    let singles = |values: [f32; 3]| values.map(f32::to_le_bytes).concat();
    let options = ReadOptions { vertices: Vertices::Occurring, ..ReadOptions::default() };
    let bytes = npy("<f4", "1, 3", &singles([0.0, 16_777_215.0, 0.5]));
    assert_eq!(read_with(&bytes, &options).unwrap().parsed.names.unwrap(), ["0", "16777215"]);
    let error = read(&npy("<f4", "1, 3", &singles([0.0, 16_777_216.0, 0.5]))).unwrap_err();
    assert!(error.contains("row 0 is 16777216, and 32-bit floats round such numbers"), "{error}");
}

#[test]
fn a_list_has_an_edge_per_row() {
    let rows = [0, 1, 5, 1, 3, -6];
    assert_eq!(
        edges(&read(&npy("<i4", "2, 3", &ints(&rows))).unwrap().parsed.graph),
        "0-1:5 1-3:-6"
    );
    let big: Vec<u8> = rows.iter().flat_map(|&value: &i32| value.to_be_bytes()).collect();
    assert_eq!(edges(&read(&npy(">i4", "2, 3", &big)).unwrap().parsed.graph), "0-1:5 1-3:-6");
    let bytes = npy("<f8", "1, 3", &floats(&[0.0, 2.0, 0.5]));
    assert_eq!(edges(&read(&bytes).unwrap().parsed.graph), "0-2:0.5");
    assert_eq!(
        edges(&read(&npy("|u1", "3, 2", &[0, 1, 1, 2, 2, 4])).unwrap().parsed.graph),
        "0-1:1 1-2:1 2-4:1"
    );
    let options = ReadOptions { vertices: Vertices::Occurring, ..ReadOptions::default() };
    let loaded = read_with(&bytes, &options).unwrap();
    assert_eq!(
        (edges(&loaded.parsed.graph), loaded.parsed.names.unwrap().len()),
        ("0-1:0.5".into(), 2)
    );
    let options = ReadOptions { vertices: Vertices::Count(9), ..ReadOptions::default() };
    assert_eq!(read_with(&bytes, &options).unwrap().parsed.graph.vertices(), 9);
    let options = ReadOptions { vertices: Vertices::Count(2), ..ReadOptions::default() };
    assert!(read_with(&bytes, &options).unwrap_err().contains("pass at least 3"));
}

#[test]
fn a_structured_array_with_ends_and_a_weight_is_a_list() {
    let dtype = |names: [&str; 3]| {
        let [u, v, w] = names;
        format!("[('{u}', '<u4'), ('{v}', '<i8'), ('{w}', '<f8')]")
    };
    let array = |names: [&str; 3]| {
        let descr = dtype(names);
        let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (2,), }}");
        let length = (header.len() as u16).to_le_bytes();
        let row = |u: u32, v: i64, w: f64| {
            [&u.to_le_bytes()[..], &v.to_le_bytes(), &w.to_le_bytes()].concat()
        };
        let rows = [row(0, 1, 5.5), row(1, 2, -6.0)].concat();
        [array::MAGIC, &[1, 0], &length, header.as_bytes(), &rows].concat()
    };
    let loaded = read(&array(["source", "target", "weight"])).unwrap();
    assert_eq!(edges(&loaded.parsed.graph), "0-1:5.5 1-2:-6.0");
    assert!(read(&array(["u", "v", "corr"])).unwrap().parsed.similarity.is_some());
    let error = read(&array(["x", "y", "z"])).unwrap_err();
    assert!(error.contains("is each line an edge from x to y, or a point?"), "{error}");
    let cut = array(["u", "v", "w"]);
    let error = read(&cut[..cut.len() - 1]).unwrap_err();
    assert!(error.contains("another size than its shape says"), "{error}");
}

#[test]
fn a_square_that_may_be_a_list_is_a_question() {
    let bytes = npy("<i4", "3, 3", &ints(&[0, 1, 2, 1, 0, 0, 2, 0, 0]));
    assert_eq!(
        read(&bytes).unwrap_err(),
        "x: is this array of 3 x 3 values a matrix of weights or a list of edges? pass `array: \
         Some(ArrayContent::Matrix)` or `array: Some(ArrayContent::Edges)`"
    );
    let zeros = Some(Meaning::None);
    let answer = |array| {
        let zeros = zeros.filter(|_| array == Some(ArrayContent::Matrix));
        read_with(&bytes, &ReadOptions { array, zeros, ..ReadOptions::default() })
    };
    assert_eq!(edges(&answer(Some(ArrayContent::Matrix)).unwrap().parsed.graph), "0-1:1 0-2:2");
    assert_eq!(
        edges(&answer(Some(ArrayContent::Edges)).unwrap().parsed.graph),
        "0-1:2 1-0:0 2-0:0"
    );
    let array = Some(ArrayContent::Matrix);
    let error = read_with(b"0 1 5\n", &ReadOptions { array, ..ReadOptions::default() });
    assert!(error.unwrap_err().contains("`array` applies to arrays of NumPy and JSON only"));
}

#[test]
fn malformed_arrays_get_one_sentence_with_place_and_remedy() {
    let good = npy("<i4", "2, 3", &ints(&[0, 1, 5, 1, 2, 6]));
    let header = "{'descr': [('u', '<i4')], 'fortran_order': False, 'shape': (1,), }";
    let length = (header.len() as u16).to_le_bytes();
    let fields = [array::MAGIC, &[1, 0], &length, header.as_bytes(), &[0; 4]].concat();
    for (bytes, sentence) in [
        (fields, "byte 6: the values have named fields; convert them with numpy.lib"),
        (good[..30].to_vec(), "byte 30: the file ends inside its header; it is cut short"),
        (good[..good.len() - 1].to_vec(), "2 x 3 values of 4 bytes, but 23 bytes follow"),
        (
            npy("<i4", "2, 3", &ints(&[0, 1, 5, 1, -2, 6])),
            "the vertex in row 1 is -2; vertices are",
        ),
        (npy("<c16", "1, 1", &[0; 16]), "byte 6: the values have the type <c16; convert them"),
        (npy("<f8", "1, 3", &floats(&[0.5, 1.0, 2.0])), "the vertex in row 0 is 0.5; vertices are"),
        (npy("<f8", "1, 3", &floats(&[0.0, 1.0, f64::NAN])), "the weight in row 0 is NaN; fix it"),
        (
            npy("|u1", "1, 4", &[0; 4]),
            "the array has 1 x 4 values; save an n x n matrix of weights",
        ),
        (npy("|u1", "1, 1, 1", &[0]), "the shape of the array is (1, 1, 1); one or two dimensions"),
    ] {
        let error = read(&bytes).unwrap_err();
        assert!(error.contains(sentence), "{error}\n{sentence}");
    }
}

/// An archive of arrays, as `scipy.sparse.save_npz` writes it.
fn zip(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let files: Vec<_> =
        files.iter().map(|(name, content)| (format!("{name}.npy"), content.clone())).collect();
    crate::testing::zip(&files)
}

/// A matrix by rows, with the arrays of its format.
fn csr(indptr: &[i32], indices: &[i32], shape: &[i32]) -> Vec<u8> {
    let array = |values: &[i32]| npy("<i4", &format!("{},", values.len()), &ints(values));
    let data: Vec<f64> = (0..indices.len()).map(|entry| entry as f64 + 0.5).collect();
    zip(&[
        ("indices", array(indices)),
        ("indptr", array(indptr)),
        ("format", npy("|S3", "", b"csr")),
        ("shape", array(shape)),
        ("data", npy("<f8", &format!("{},", data.len()), &floats(&data))),
    ])
}

#[test]
fn each_entry_of_a_sparse_matrix_is_an_edge() {
    let loaded = read(&csr(&[0, 2, 2, 3], &[1, 2, 0], &[3, 3])).unwrap();
    assert_eq!(loaded.format, Format::NPZ);
    assert_eq!(edges(&loaded.parsed.graph), "0-1:0.5 0-2:1.5 2-0:2.5");
    let array = |values: &[i32]| npy("<i4", &format!("{},", values.len()), &ints(values));
    let coo = zip(&[
        ("row", array(&[1, 0])),
        ("col", array(&[0, 3])),
        ("format", npy("<U3", "", b"c\0\0\0o\0\0\0o\0\0\0")),
        ("shape", array(&[4, 4])),
        ("data", array(&[7, 0])),
    ]);
    let loaded = read(&coo).unwrap();
    assert_eq!(
        (edges(&loaded.parsed.graph), loaded.parsed.graph.vertices()),
        ("1-0:7 0-3:0".into(), 4)
    );
}

/// A matrix by entries, whose rows and columns are one array.
fn coo(coords: &[i32], data: &[f64]) -> Vec<u8> {
    let shape = format!("2, {}", coords.len() / 2);
    zip(&[
        ("coords", npy("<i4", &shape, &ints(coords))),
        ("format", npy("|S3", "", b"coo")),
        ("shape", npy("<i4", "2,", &ints(&[4, 4]))),
        ("data", npy("<f8", &format!("{},", data.len()), &floats(data))),
    ])
}

#[test]
fn rows_and_columns_of_a_sparse_matrix_may_be_one_array() {
    let loaded = read(&coo(&[1, 0, 2, 0, 3, 1], &[7.5, 0.0, 2.0])).unwrap();
    assert_eq!(edges(&loaded.parsed.graph), "1-0:7.5 0-3:0.0 2-1:2.0");
}

#[test]
fn malformed_archives_get_one_sentence_with_place_and_remedy() {
    let good = csr(&[0, 2, 2, 3], &[1, 2, 0], &[3, 3]);
    let mut damaged = good.clone();
    damaged[45] ^= 0xff;
    for (bytes, sentence) in [
        (good[..good.len() - 30].to_vec(), "the archive has no directory; it is cut short"),
        (damaged, "damaged; save it again"),
        (csr(&[0, 2, 2, 3], &[1, 9, 0], &[3, 3]), "indices.npy: entry 1 is outside of the 3 rows"),
        (csr(&[0, 2, 1, 3], &[1, 2, 0], &[3, 3]), "indptr.npy: row 2 starts at entry 1 of 3"),
        (csr(&[0, 3], &[1, 2, 0], &[3, 3]), "indptr.npy: 4 values are expected, not 2"),
        (csr(&[0, 2, 2, 3], &[1, 2, 0], &[3, 4]), "3 rows and 4 columns; save a square matrix"),
        (zip(&[("a", Vec::new())]), "this is no array of NumPy; save it with numpy.save"),
        (zip(&[("indptr", Vec::new())]), "the archive has no array 'format'; save it with scipy"),
        (coo(&[0, 1, 1, 9], &[1.0, 2.0]), "coords.npy: entry 1 is outside of the 4 rows"),
        (coo(&[0, -1], &[1.0]), "coords.npy: the vertex in row 1 is -1; vertices are whole"),
        (coo(&[0, 1], &[1.0, 2.0]), "coords.npy: 2 values are expected, not 1"),
        (coo(&[0, 1], &[f64::NAN]), "data.npy: entry 0 has weight NaN; fix it, or pass"),
        (zip(&[("format", npy("|S3", "", b"bsr"))]), "the matrix is in the format bsr; save it"),
    ] {
        let error = read(&bytes).unwrap_err();
        assert!(error.contains(sentence), "{error}\n{sentence}");
    }
}

#[test]
fn an_archive_of_one_table_is_read_as_its_array() {
    let distances = || {
        npy(
            "<f8",
            "4, 4",
            &floats(&[0., 1., 2., 3., 1., 0., 4., 5., 2., 4., 0., 6., 3., 5., 6., 0.]),
        )
    };
    let labels = || npy("<i4", "4,", &ints(&[1, 2, 3, 4]));
    let expected = "0-1:1.0 0-2:2.0 0-3:3.0 1-2:4.0 1-3:5.0 2-3:6.0";
    let loaded = read(&zip(&[("arr_0", distances())])).unwrap();
    assert_eq!((edges(&loaded.parsed.graph).as_str(), loaded.format), (expected, Format::NPZ));
    let loaded = read(&zip(&[("labels", labels()), ("D", distances())])).unwrap();
    assert_eq!(edges(&loaded.parsed.graph), expected);
    assert_eq!(loaded.parsed.notes[0].to_string(), "the array D is read, not labels");
    let list = npy("<i4", "2, 3", &ints(&[0, 1, 5, 1, 2, 6]));
    assert_eq!(edges(&read(&zip(&[("edges", list)])).unwrap().parsed.graph), "0-1:5 1-2:6");
    let square = || npy("<i4", "3, 3", &ints(&[0, 1, 5, 1, 0, 6, 5, 6, 0]));
    let error = read(&zip(&[("a", square())])).unwrap_err();
    assert!(
        error.contains("a matrix of weights or a list of edges? pass `array: Some("),
        "{error}"
    );
    let options = ReadOptions { array: Some(ArrayContent::Matrix), ..ReadOptions::default() };
    let loaded = read_with(&zip(&[("a", square())]), &options).unwrap();
    assert_eq!(edges(&loaded.parsed.graph), "0-1:1 0-2:5 1-2:6");
    let error = read(&zip(&[("a", square()), ("D", distances())])).unwrap_err();
    assert!(
        error.contains("which array contains the graph, a (3 x 3) or D (4 x 4)? save it as"),
        "{error}"
    );
    let error = read(&zip(&[("a", labels()), ("b", labels())])).unwrap_err();
    assert!(error.contains("which columns are the vertices? columns: a, b;"), "{error}");
    let sparse = csr(&[0, 2, 2, 3], &[1, 2, 0], &[3, 3]);
    let error = read_with(&sparse, &options).unwrap_err();
    assert!(error.contains("`array` does not apply to a sparse matrix; omit it"), "{error}");
}

#[test]
fn arrays_of_ends_and_weights_are_edges() {
    let vector = |values: &[i32]| npy("<i4", &format!("{},", values.len()), &ints(values));
    let [u, v, w] = [&[0, 1, 0, 2][..], &[1, 2, 2, 3], &[5, 6, 9, 2]].map(vector);
    let expected = "0-1:5 1-2:6 0-2:9 2-3:2";
    for names in [["u", "v", "w"], ["row", "col", "data"], ["source", "target", "km"]] {
        let files = [(names[2], w.clone()), (names[0], u.clone()), (names[1], v.clone())];
        assert_eq!(edges(&read(&zip(&files)).unwrap().parsed.graph), expected, "{names:?}");
    }
    let pairs = npy("<i4", "4, 2", &ints(&[0, 1, 1, 2, 0, 2, 2, 3]));
    let rows = npy("<i4", "2, 4", &ints(&[0, 1, 0, 2, 1, 2, 2, 3]));
    for (name, table) in [("edges", pairs), ("edge_index", rows)] {
        let files = [(name, table), ("weights", w.clone())];
        assert_eq!(edges(&read(&zip(&files)).unwrap().parsed.graph), expected, "{name}");
    }
    let files = [("arr_0", u.clone()), ("arr_1", v.clone()), ("arr_2", w.clone())];
    let error = read(&zip(&files)).unwrap_err();
    assert!(error.contains("which columns are the vertices? columns: arr_0"), "{error}");
    let choose = |name: &str| Some(ColumnChoice::Name(name.into()));
    let columns = ColumnOptions {
        source: choose("arr_0"),
        target: choose("arr_1"),
        weight: choose("arr_2"),
        ..ColumnOptions::default()
    };
    let options = ReadOptions { columns, ..ReadOptions::default() };
    let loaded = read_with(&zip(&files), &options).unwrap();
    assert_eq!(edges(&loaded.parsed.graph), expected);
    let error = read_with(&npy("<i4", "4, 2", &ints(&[0; 8])), &options).unwrap_err();
    assert!(error.contains("applies to several arrays with names"), "{error}");
    let error = read_with(&csr(&[0, 1, 1], &[1], &[2, 2]), &options).unwrap_err();
    assert!(error.contains("does not apply to a sparse matrix"), "{error}");
    let error = read(&zip(&[("u", u), ("v", v), ("a", w.clone()), ("b", w)])).unwrap_err();
    assert!(error.contains("which column is the weight?"), "{error}");
}
