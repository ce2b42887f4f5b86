//! Serde: results as structures with named fields.
//!
//! A [`Forest`] is written, and not read: it belongs to its graph, so
//! [`Forest::from_ids`] finds it again from the edge ids, and verifies it. Totals and weights are
//! numbers; infinite ones and NaN are what the format makes of them, such as `null` in JSON.

use kostra_core::{Order, Total};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::solve::Fallback;
use crate::{Forest, Number, Solved};

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::I32(weight) => to.serialize_i32(weight),
            Self::U32(weight) => to.serialize_u32(weight),
            Self::I64(weight) => to.serialize_i64(weight),
            Self::U64(weight) => to.serialize_u64(weight),
            Self::F32(weight) => to.serialize_f32(weight),
            Self::F64(weight) => to.serialize_f64(weight),
        }
    }
}

/// A total. An integer has 64 bits where it fits, because not all formats have more.
struct Sum(Total);

impl Serialize for Sum {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Total::Float(total) => to.serialize_f64(total),
            Total::Integer(total) => match (i64::try_from(total), u64::try_from(total)) {
                (Ok(total), _) => to.serialize_i64(total),
                (_, Ok(total)) => to.serialize_u64(total),
                _ => to.serialize_i128(total),
            },
        }
    }
}

/// The edges of a forest: id, both ends and weight.
struct ForestEdges<'a>(&'a Forest);

impl Serialize for ForestEdges<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.edges())
    }
}

impl Serialize for Forest {
    /// `order` (`minimum` or `maximum`), `vertices`, `components`, `total`, and `edges`, each of
    /// them id, both ends and weight.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("Forest", 5)?;
        let order = match self.order() {
            Order::Minimum => "minimum",
            Order::Maximum => "maximum",
        };
        fields.serialize_field("order", order)?;
        fields.serialize_field("vertices", &self.graph().vertex_count())?;
        fields.serialize_field("components", &self.component_count())?;
        fields.serialize_field("total", &Sum(self.total()))?;
        fields.serialize_field("edges", &ForestEdges(self))?;
        fields.end()
    }
}

impl Serialize for Fallback {
    /// `solver`, its id, and `error`, a sentence.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("Fallback", 2)?;
        fields.serialize_field("solver", self.solver.id)?;
        fields.serialize_field("error", &self.error.to_string())?;
        fields.end()
    }
}

impl<F: Serialize> Serialize for Solved<F> {
    /// The fields of [`Solved`]; `solver` is its id, and times are in seconds.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { forest, solver, threads, fallback, build, compile, upload, solve, download } =
            self;
        let mut fields = to.serialize_struct("Solved", 9)?;
        fields.serialize_field("forest", forest)?;
        fields.serialize_field("solver", solver.id)?;
        fields.serialize_field("threads", threads)?;
        fields.serialize_field("fallback", fallback)?;
        fields.serialize_field("build", &build.as_secs_f64())?;
        fields.serialize_field("compile", &compile.as_secs_f64())?;
        fields.serialize_field("upload", &upload.as_secs_f64())?;
        fields.serialize_field("solve", &solve.as_secs_f64())?;
        fields.serialize_field("download", &download.as_secs_f64())?;
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use crate::{Graph, Number, Solve};

    #[test]
    fn results_are_structures_with_named_fields() {
        let graph = Graph::with_vertices(4, [(0, 1, 4), (1, 2, -1), (2, 0, 2)]).unwrap();
        let solved = Solve::new().algorithm("kruskal").unwrap().run_detailed(&graph).unwrap();
        let forest = json!({"order": "minimum", "vertices": 4, "components": 2, "total": 1,
            "edges": [[1, 1, 2, -1], [2, 2, 0, 2]]});
        assert_eq!(to_value(&solved.forest).unwrap(), forest);
        let all = to_value(&solved).unwrap();
        assert_eq!((&all["forest"], &all["solver"]), (&forest, &json!("kruskal")));
        assert_eq!((&all["threads"], &all["fallback"]), (&json!(1), &json!(null)));
        assert_eq!(all["solve"], json!(solved.solve.as_secs_f64()));
    }

    #[test]
    fn large_totals_are_exact() {
        let largest = Graph::from_edges([(0, 1, u64::MAX), (1, 2, u64::MAX)]).unwrap();
        let text = serde_json::to_string(&crate::minimum_spanning_forest(&largest)).unwrap();
        assert!(text.contains("\"total\":36893488147419103230"), "{text}");
        assert_eq!(to_value(Number::F32(0.5)).unwrap(), json!(0.5));
    }
}
