//! Which of two columns is the latitude, by their names.

/// What the names of two columns say about their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisOrder {
    /// Nothing.
    Unknown,
    /// The latitude is the first column, as [`Metric::Haversine`](crate::Metric::Haversine) needs
    /// it.
    LatitudeFirst,
    /// The longitude is the first column.
    LongitudeFirst,
    /// Both columns are latitudes, or both are longitudes.
    SameAxis,
}

impl AxisOrder {
    /// What these names say: `lon`, `lng`, `long`, `longitude` and `x` against `lat`, `latitude`
    /// and `y`. They may be words inside of a name, such as `stop_lon` and `startLongitude`.
    ///
    /// ```
    /// use kostra_points::AxisOrder;
    ///
    /// assert_eq!(AxisOrder::of_names("stop_lon", "stop_lat"), AxisOrder::LongitudeFirst);
    /// assert_eq!(AxisOrder::of_names("latitude", "height"), AxisOrder::LatitudeFirst);
    /// assert_eq!(AxisOrder::of_names("a", "b"), AxisOrder::Unknown);
    /// ```
    pub fn of_names(first: &str, second: &str) -> Self {
        match (Axis::of_name(first), Axis::of_name(second)) {
            (None, None) => Self::Unknown,
            (Some(one), Some(other)) if one == other => Self::SameAxis,
            (Some(Axis::Latitude), _) | (_, Some(Axis::Longitude)) => Self::LatitudeFirst,
            _ => Self::LongitudeFirst,
        }
    }
}

/// The first latitude and the first longitude among the names of columns. A name that is `x` or `y`
/// is neither, because these may be on any plane.
///
/// ```
/// use kostra_points::degrees_among;
///
/// assert_eq!(degrees_among(&["stop_lon", "stop_lat", "height"]), Some(["stop_lat", "stop_lon"]));
/// assert_eq!(degrees_among(&["lat", "height"]), None);
/// ```
pub fn degrees_among<'a>(names: &[&'a str]) -> Option<[&'a str; 2]> {
    let first =
        |starts: &[&str]| names.iter().find(|name| has_word(&words(name), starts, &[])).copied();
    first(LATITUDE).zip(first(LONGITUDE)).map(<[_; 2]>::from)
}

/// Starts of words for a latitude and for a longitude.
const LATITUDE: &[&str] = &["lat"];
const LONGITUDE: &[&str] = &["lon", "lng"];

/// Whether one of the words starts with one of `starts`, or is one of `names`.
fn has_word(words: &[String], starts: &[&str], names: &[&str]) -> bool {
    words
        .iter()
        .any(|word| starts.iter().any(|start| word.starts_with(start)) || names.contains(&&**word))
}

#[derive(Clone, Copy, PartialEq)]
enum Axis {
    Latitude,
    Longitude,
}

impl Axis {
    fn of_name(name: &str) -> Option<Self> {
        let words = words(name);
        let latitude = has_word(&words, LATITUDE, &["y", "ycoord"]);
        let longitude = has_word(&words, LONGITUDE, &["x", "xcoord"]);
        match (latitude, longitude) {
            (true, false) => Some(Self::Latitude),
            (false, true) => Some(Self::Longitude),
            _ => None,
        }
    }
}

/// The words of a name in lower case: runs of letters, divided before a capital letter that follows
/// a small one.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        if !letter.is_alphabetic() || before.is_lowercase() && letter.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphabetic()) {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_inside_of_names_say_which_column_is_the_latitude() {
        for (longitude, latitude) in [
            ("x", "y"),
            ("X", "Y"),
            ("lon", "lat"),
            ("lng", "LAT"),
            ("long", "lat"),
            ("stop_lon", "stop_lat"),
            ("Longitude", "Latitude"),
            ("startLng", "startLat"),
            ("geo.x", "geo.y"),
            ("end-long", "end lat"),
            ("lon1", "lat1"),
            ("lon", "height"),
            ("a", "latitude_deg"),
            ("X_COORD", "Y_COORD"),
        ] {
            let order = |first, second| AxisOrder::of_names(first, second);
            assert_eq!(order(longitude, latitude), AxisOrder::LongitudeFirst, "{longitude}");
            assert_eq!(order(latitude, longitude), AxisOrder::LatitudeFirst, "{latitude}");
        }
        for names in [("a", "b"), ("colon", "flat"), ("0", "1"), ("", ""), ("lat_lon", "b")] {
            assert_eq!(AxisOrder::of_names(names.0, names.1), AxisOrder::Unknown, "{names:?}");
        }
        for names in [("lat1", "lat2"), ("start_lon", "end_lon"), ("x1", "x2")] {
            assert_eq!(AxisOrder::of_names(names.0, names.1), AxisOrder::SameAxis, "{names:?}");
        }
    }
}
