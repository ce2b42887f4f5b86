use super::*;

fn columns(names: &[&str]) -> Vec<PointColumn> {
    names.iter().map(|text| text.parse().unwrap()).collect()
}

fn read(text: impl AsRef<[u8]>, chosen: &[&str]) -> Result<PointFile, String> {
    read_with(text, PointOptions { columns: columns(chosen), ..PointOptions::default() })
}

fn read_with(text: impl AsRef<[u8]>, options: PointOptions) -> Result<PointFile, String> {
    read_points_bytes("points", text.as_ref(), &options).map_err(|error| error.to_string())
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
    let expected = [1.0, -2.5, 3e2, 4.0];
    for text in ["1,-2.5\n3e2,4\n", "# points\n1 -2.5\n\n300\t4", "1; -2.5\r\n300; 4\r\n"] {
        let points = read(text, &[]).unwrap();
        assert_eq!((&*points.coordinates, points.dimensions), (&expected[..], 2), "{text:?}");
        assert!(points.names.is_empty());
    }
    let named = read("\"lat\", lon\n1,-2.5\n3e2,\"4\"\n", &[]).unwrap();
    assert_eq!((&*named.coordinates, named.names.join(" ")), (&expected[..], "lat lon".into()));
}

#[test]
fn a_first_line_with_numbers_and_other_text_is_no_header() {
    let error = |text: &str, chosen: &[&str]| read(text, chosen).unwrap_err();
    let damaged = error("# made by hand\n1.0,x2.0\n3,4\n", &[]);
    assert!(damaged.contains("line 2, column 5: does this line contain names or a point?"));
    assert!(damaged.contains("x2.0 is not a number, and other fields are"));
    assert!(damaged.contains("`--header` or `--no-header`"));
    assert!(error("1,\n3,4\n", &[]).contains("this field is empty, and others are numbers"));
    assert!(error("1.0.0,--\n3,4\n", &[]).contains("1.0.0 is not a number"));
    assert!(error("1,5;2,5\n3,5;4\n", &[]).contains("write it with a decimal point"));
    assert!(error("x;y\n1,5;2\n", &[]).contains("1,5 is not a number; write it with a decimal"));
    assert!(error("x,y\n\"1,5\",2\n", &[]).contains("line 2, column 1: 1,5 is not a number"));
    assert!(error("\"1,5\",2\n3,4\n", &[]).contains("a point? 1,5 is not a number, and other"));
    assert!(error("Brno,16.6\nPraha,14.4\n", &["2"]).contains("Brno is not a number"));
    // A name that was chosen is in the line.
    assert_eq!(read("x,2020\n3,4\n", &["x"]).unwrap().coordinates, [3.0]);
    assert_eq!(read(",x\n0,1\n1,4\n", &["x"]).unwrap().coordinates, [1.0, 4.0]);
}

#[test]
fn the_caller_can_say_whether_there_is_a_header() {
    let with = |header| PointOptions { header, ..PointOptions::default() };
    let years = "2019,x\n1,2\n";
    let points = read_with(years, with(Header::Present)).unwrap();
    assert_eq!((points.coordinates, points.names.join(" ")), (vec![1.0, 2.0], "2019 x".into()));
    let error = read_with(years, with(Header::Absent)).unwrap_err();
    assert!(error.contains("line 1, column 6: x is not a number"));
    let points = read_with("1,2\n3,4\n", with(Header::Present)).unwrap();
    assert_eq!(points.coordinates, [3.0, 4.0]);
    let error = read_with(npy("1, 1", &[1.0]), with(Header::Absent)).unwrap_err();
    assert!(error.contains("`--no-header` applies to tables as text"));
}

#[test]
fn columns_of_one_name_and_columns_that_are_no_coordinates_are_refused() {
    let error = |text: &str, chosen: &[&str]| read(text, chosen).unwrap_err();
    let twins = error("x,y,x\n1,2,3\n", &["y", "x"]);
    assert!(twins.contains("`--columns x`: columns 1 and 3 both have this name"));
    assert_eq!(read("x,y,x\n1,2,3\n", &["y", "3"]).unwrap().coordinates, [2.0, 3.0]);
    for name in ["osm_id", "cluster_id", "ID", "Unnamed: 0", "stopId"] {
        let question = error(&format!("{name},x,y\n1,2,3\n"), &[]);
        assert!(question.contains("is column") && question.contains("`--columns x,y`"), "{name}");
    }
}

#[test]
fn kept_columns_and_lines_stay_with_their_points() {
    let text = "id,lon,name\n\n7,1,\"Brno, Zidenice\"\n# next\n8,2,\n9,3,Praha\n";
    let options = PointOptions {
        columns: columns(&["lon"]),
        keep: columns(&["name", "1"]),
        ..PointOptions::default()
    };
    let points = read_with(text, options.clone()).unwrap();
    assert_eq!(points.kept.names(), ["name", "id"]);
    let rows: Vec<Vec<_>> = (0..3).map(|point| points.kept.row(point).collect()).collect();
    assert_eq!(rows, [["Brno, Zidenice", "7"], ["", "8"], ["Praha", "9"]]);
    assert_eq!([0, 1, 2].map(|point| points.line(point)), [Some(3), Some(5), Some(6)]);
    let keep = columns(&["city"]);
    let error = read_with(text, PointOptions { keep, ..options }).unwrap_err();
    assert!(error.contains("`--keep city`: there is no such column"));
    let keep = PointOptions { keep: columns(&["1"]), ..PointOptions::default() };
    let error = read_with(npy("1, 1", &[1.0]), keep).unwrap_err();
    assert!(error.contains("`--keep` applies to tables as text"));
    assert_eq!(read(npy("1, 1", &[1.0]), &[]).unwrap().line(0), None);
}

#[test]
fn weights_are_a_column_that_is_no_coordinate() {
    let weighted = |chosen: &[&str], weights: &str| PointOptions {
        columns: columns(chosen),
        weights: columns(&[weights]).pop(),
        ..PointOptions::default()
    };
    let text = "x,id,y,n\n1,7,2,3\n4,8,5,6\n";
    for options in [weighted(&["y", "x"], "n"), weighted(&["3", "1"], "4")] {
        let points = read_with(text, options).unwrap();
        assert_eq!((&*points.coordinates, points.dimensions), (&[2.0, 1.0, 5.0, 4.0][..], 2));
        assert_eq!((&*points.weights, points.names.join(" ")), (&[3.0, 6.0][..], "y x".into()));
    }
    let plain = read_with("x,key,y\n1,7,2\n4,8,5\n", weighted(&[], "key")).unwrap();
    assert_eq!((plain.weights, plain.coordinates), (vec![7.0, 8.0], vec![1.0, 2.0, 4.0, 5.0]));
    let array = read_with(npy("2, 2", &[1.0, 2.0, 3.0, 4.0]), weighted(&[], "1")).unwrap();
    assert_eq!((array.weights, array.coordinates), (vec![1.0, 3.0], vec![2.0, 4.0]));
    let json = r#"{"type": "FeatureCollection", "features": [{"type": "Feature",
        "properties": {"n": 9}, "geometry": {"type": "Point", "coordinates": [14.0, 50.0]}}]}"#;
    let city = read_with(json, weighted(&[], "n")).unwrap();
    assert_eq!(
        (city.weights, city.coordinates, city.is_in_degrees),
        (vec![9.0], vec![50.0, 14.0], true)
    );
    let error = |text: &str, options| read_with(text, options).unwrap_err();
    assert!(error(text, weighted(&["x"], "m")).contains("`--weights m`: there is no such column"));
    assert!(error(text, weighted(&["x", "n"], "n")).contains("a coordinate and the weight"));
    assert!(error(text, weighted(&["x"], "all")).contains("`--weights` is one column"));
    assert!(error(text, weighted(&[], "n")).contains("`--columns x,y`"));
    assert!(error("1\n2\n", weighted(&[], "1")).contains("the points need coordinates"));
}

#[test]
fn integers_that_a_float_would_round_are_refused() {
    assert_eq!(read("9007199254740992\n", &[]).unwrap().coordinates, [9_007_199_254_740_992.0]);
    for integer in ["9007199254740993", "-9007199254740993", "18446744073709551615"] {
        let error = read(format!("1 2\n3 {integer}\n"), &[]).unwrap_err();
        assert!(error.contains("line 2, column 3") && error.contains("would round"), "{error}");
    }
    let mut bytes = npy("1, 1", &[f64::from_bits(9_007_199_254_740_993)]);
    let place = bytes.windows(3).position(|word| word == b"<f8").unwrap();
    bytes[place + 1] = b'i';
    let error = read(&bytes, &[]).unwrap_err();
    assert!(error.contains("row 0, column 0 (counted from 0): 9007199254740993"), "{error}");
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
    let unnamed = "column 1 has no name: does it have the names of the rows?";
    assert!(error("\"\",\"x\",\"y\"\n\"x\",0,2\n\"y\",2,0\n", &[]).contains(unnamed));
    assert!(error("x,y\r1,2\r3,4\r", &[]).contains("line 1, column 1: this line has a carriage"));
    assert!(error("1,2\n3\n", &[]).contains("line 2, column 1: this line has 1 columns"));
    assert!(error("x,y\n1,2\n3,a\n", &[]).contains("line 3, column 3: a is not a number"));
    assert!(error("1,2\n3,\n", &[]).contains("line 2, column 3: the coordinate is missing"));
    assert!(error("id,x,y\n1,2,3\n", &[]).contains("`--columns x,y`"));
    assert!(error("x,y\n1,2\n", &["z"]).contains("the columns are x, y"));
    assert!(error("1,2\n", &["x"]).contains("the columns have no names"));
    assert!(error("1,2\n", &["3"]).contains("only 2 columns"));
    assert!(error("x,y\n1,2\n", &["x", "1"]).contains("column 1 twice"));
    let columns = columns(&["2"]);
    let options = PointOptions { columns, header: Header::Present, ..PointOptions::default() };
    assert!(read_with("2,x\n1,2\n", options).unwrap_err().contains("the name of column 1"));
}

/// A `.npz` file of these arrays, stored.
fn npz(arrays: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in arrays {
        let mut checksum = flate2::Crc::new();
        checksum.update(content);
        let name = format!("{name}.npy");
        let size = (content.len() as u32).to_le_bytes();
        let mut common = [0; 6].to_vec();
        common.extend([0; 4]);
        common.extend(checksum.sum().to_le_bytes());
        common.extend([size, size].concat());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0; 2]);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend((bytes.len() as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        bytes.extend(b"PK\x03\x04");
        bytes.extend(common);
        bytes.extend(name.as_bytes());
        bytes.extend(*content);
    }
    let start = bytes.len() as u32;
    let (count, size) = ((arrays.len() as u16).to_le_bytes(), directory.len() as u32);
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count, count].concat());
    bytes.extend([size.to_le_bytes(), start.to_le_bytes()].concat());
    bytes.extend([0; 2]);
    bytes
}

#[test]
fn the_only_table_of_an_archive_of_numpy_is_the_points() {
    let (points, labels) = (npy("2, 2", &[1.0, 2.0, 3.0, 4.0]), npy("2,", &[0.0, 1.0]));
    let read = |arrays: &[(&str, &[u8])]| read(npz(arrays), &[]);
    let found = read(&[("labels", &labels), ("X", &points)]).unwrap();
    assert_eq!((found.coordinates, found.dimensions), (vec![1.0, 2.0, 3.0, 4.0], 2));
    let question = read(&[("X", &points), ("Y", &points)]).unwrap_err();
    assert!(question.contains("which array contains the points, X (2 x 2) or Y (2 x 2)?"));
    let none = read(&[("labels", &labels)]).unwrap_err();
    assert!(none.contains("two dimensions (labels); save the points with numpy.save"), "{none}");
    let sparse = read(&[("indices", &labels), ("indptr", &labels)]).unwrap_err();
    assert!(sparse.contains("`kostra solve` reads it"), "{sparse}");
}

#[test]
fn points_of_geojson_are_latitudes_and_longitudes() {
    let feature = |position: &str, name: &str| {
        format!(
            r#"{{"type": "Feature", "properties": {{"name": {name}, "height": 200}},
                "geometry": {{"type": "Point", "coordinates": {position}}}}}"#
        )
    };
    let (brno, praha) = (feature("[16.6, 49.2, 7]", "\"Brno\""), feature("[14.4, 50.1]", "null"));
    let collection = |features: &[&String]| {
        let features: Vec<_> = features.iter().map(|feature| feature.as_str()).collect();
        format!(r#"{{"type": "FeatureCollection", "features": [{}]}}"#, features.join(","))
    };
    let text = collection(&[&brno, &praha]);
    let options = PointOptions { keep: columns(&["name"]), ..PointOptions::default() };
    let points = read_with(&text, options).unwrap();
    assert_eq!(points.coordinates, [49.2, 16.6, 50.1, 14.4]);
    assert_eq!((points.names.join(" "), points.is_in_degrees), ("latitude longitude".into(), true));
    assert_eq!(points.kept.row(0).collect::<Vec<_>>(), ["Brno"]);
    let chosen = read(&text, &["longitude", "height"]).unwrap();
    assert_eq!((chosen.coordinates, chosen.is_in_degrees), (vec![16.6, 200.0, 14.4, 200.0], false));
    assert_eq!(read(&brno, &[]).unwrap().coordinates, [49.2, 16.6]);

    let error = |text: &str, columns: &[&str]| read(text, columns).unwrap_err();
    assert!(error(&text, &["name"]).contains("feature 0 (counted from 0): the property \"name\""));
    let line = brno.replace("\"Point\"", "\"LineString\"");
    let mixed = error(&collection(&[&brno, &line]), &[]);
    assert!(mixed.contains("feature 1 (counted from 0): this is a line and no point"), "{mixed}");
    let plane = feature("[-600000, -1100000]", "null");
    assert!(error(&plane, &[]).contains("feature 0 (counted from 0): the position [-600000, "));
    let columns = ["longitude", "latitude"];
    assert_eq!(read(&plane, &columns).unwrap().coordinates, [-600_000.0, -1_100_000.0]);
    let none = r#"{"type": "Feature", "geometry": null}"#;
    assert!(error(none, &[]).contains("there is no geometry; remove the feature"));
    assert!(error("{\"x\": [1, 2]}", &[]).contains("no GeoJSON with points"));
    assert!(error("{\"type\": \"FeatureCollection\", ", &[]).contains("line 1"));
}

#[test]
fn files_that_contain_no_points_are_named_with_a_remedy() {
    for (content, said) in [
        (&b"p sp 2 1\na 1 2 3\n"[..], "this is a graph (DIMACS)"),
        (b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3\n", "Matrix Market"),
        (b"\x8bKOSTRA", "this is a graph (Kostra)"),
        (b"graph { a -- b }", "`kostra solve` reads graphs"),
        (b"{\"nodes\": [], \"links\": []}", "`kostra solve` reads graphs"),
        (b"PAR1", "the file is cut short; copy or write it again"),
        (b"\x89PNG\r\n\x1a\n", "`kostra segment`"),
        (b"PK\x03\x04..........................[Content_Types].xml", "as .xlsx, .ods or CSV"),
        (b"[[1, 2], [3, 4]]", "this is a JSON array; save the points as CSV"),
        (b"<gpx><wpt lat=\"1\" lon=\"2\"/></gpx>", "this is XML, such as GPX or KML"),
        (b"sep=;\n1;2\n", "hint for Excel"),
        (b"\xff\xfe1\0", "UTF-16"),
        (b"\x01\x02\x03", "neither text nor an array of NumPy"),
    ] {
        let error = read(content, &[]).unwrap_err();
        assert!(error.contains(said) && error.contains(';'), "{error}");
    }
    // A table with a column p, if the user says so.
    let header = PointOptions { header: Header::Present, ..PointOptions::default() };
    assert_eq!(read_with("p q\n1 2\n", header).unwrap().names, ["p", "q"]);
}
