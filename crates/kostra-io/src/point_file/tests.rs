use super::*;

fn read(text: impl AsRef<[u8]>, columns: &[&str]) -> Result<PointFile, String> {
    let columns: Vec<PointColumn> = columns.iter().map(|text| text.parse().unwrap()).collect();
    read_points_bytes("points", text.as_ref(), &columns).map_err(|error| error.to_string())
}

/// A `.npy` file of 64-bit floats.
fn npy(shape: &str, values: &[f64]) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape})}}");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[test]
fn tables_with_and_without_names_are_points() {
    let expected =
        PointFile { coordinates: vec![1.0, -2.5, 3e2, 4.0], dimensions: 2, names: Vec::new() };
    for text in ["1,-2.5\n3e2,4\n", "# points\n1 -2.5\n\n300\t4", "1; -2.5\r\n300; 4\r\n"] {
        assert_eq!(read(text, &[]).unwrap(), expected, "{text:?}");
    }
    let named = read("\"lat\", lon\n1,-2.5\n3e2,\"4\"\n", &[]).unwrap();
    assert_eq!(named, PointFile { names: vec!["lat".into(), "lon".into()], ..expected });
}

#[test]
fn columns_are_chosen_by_name_or_position_in_any_order() {
    let text = "id,lon,lat,name\n7,16.6,49.2,Brno\n8,14.4,50.1,Praha\n";
    let points = read(text, &["lat", "2"]).unwrap();
    assert_eq!(points.coordinates, [49.2, 16.6, 50.1, 14.4]);
    assert_eq!((points.names, points.dimensions), (vec!["lat".to_owned(), "lon".into()], 2));
    assert_eq!(read("5 6 7\n8 9 1\n", &["3"]).unwrap().coordinates, [7.0, 1.0]);
}

#[test]
fn arrays_of_numpy_are_points() {
    let bytes = npy("2, 3", &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let points = read(&bytes, &[]).unwrap();
    assert_eq!((points.dimensions, points.len()), (3, 2));
    assert_eq!(points.coordinates, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(read(&bytes, &["3", "1"]).unwrap().coordinates, [3.0, 1.0, 6.0, 4.0]);
    assert_eq!(read(npy("2,", &[5.0, 6.0]), &[]).unwrap().dimensions, 1);
    assert!(read(npy("0, 2", &[]), &[]).unwrap_err().contains("contains no points"));
    assert!(read(npy("2, 2, 1", &[0.0; 4]), &[]).unwrap_err().contains("one or two dimensions"));
    assert!(read(&bytes[..30], &[]).unwrap_err().contains("cut short"));
}

#[test]
fn tables_that_are_no_points_are_refused_with_the_place() {
    let error = |text: &str, columns: &[&str]| read(text, columns).unwrap_err();
    assert!(error("", &[]).contains("the input is empty"));
    assert!(error("x,y\n", &[]).contains("contains no points"));
    assert!(error("1,2\n3\n", &[]).contains("line 2, column 1: this line has 1 columns"));
    assert!(error("x,y\n1,2\n3,a\n", &[]).contains("line 3, column 3: a is not a number"));
    assert!(error("1,2\n3,\n", &[]).contains("line 2, column 3: the coordinate is missing"));
    assert!(error("id,x,y\n1,2,3\n", &[]).contains("`--columns x,y`"));
    assert!(error("x,y\n1,2\n", &["z"]).contains("the columns are x, y"));
    assert!(error("1,2\n", &["x"]).contains("the columns have no names"));
    assert!(error("1,2\n", &["3"]).contains("only 2 columns"));
    assert!(error("x,y\n1,2\n", &["x", "1"]).contains("column 1 twice"));
    assert!(error("2,x\n1,2\n", &["2"]).contains("the name of column 1"));
}
