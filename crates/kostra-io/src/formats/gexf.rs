//! GEXF, the XML format of Gephi: nodes with labels, and edges with weights and attributes.
//!
//! An edge without a weight weighs 1 if others have one, as the format says.

use crate::columns::TextNumber;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo};
use crate::xml;
use crate::xml_graph::{self, Dialect};

impl Format {
    /// GEXF: nodes and edges with attributes, as XML of Gephi.
    pub const GEXF: Self = Self::new(&FormatInfo {
        id: "gexf",
        title: "GEXF",
        extensions: &["gexf"],
        summary: "GEXF: nodes and edges with attributes, as Gephi writes them",
        has_attributes: true,
        recognize,
        read: |stream, options| xml_graph::read(stream, options, &DIALECT),
        ..FormatInfo::READ_ONLY
    });
}

const DIALECT: Dialect = Dialect {
    title: "GEXF",
    root: "gexf",
    value: "attvalue",
    depth: 2,
    called: &["for", "id"],
    default: Some(TextNumber::Integer(1)),
    ignored: &["id", "type", "kind", "start", "end", "startopen", "endopen", "slices"],
};

fn recognize(head: &Head<'_>) -> Evidence {
    Evidence::Signature.when(xml::root(head.text()) == Some(DIALECT.root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, check_cases};

    fn with_edges(edges: &str) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- c -->\n<gexf version=\"1.3\" \
             xmlns:viz=\"v\"><meta/><graph defaultedgetype=\"undirected\"><attributes \
             class=\"edge\"><attribute id=\"0\" title=\"km\" type=\"float\"/></attributes><nodes>\
             <node id=\"a\" label=\"A &amp; B\"><attvalues><attvalue for=\"0\" value=\"9\"/>\
             </attvalues></node><node id=\"b\" label=\"C\"/></nodes>\n<edges>{edges}</edges>\
             </graph></gexf>"
        )
    }

    #[test]
    fn graphs_of_gephi_are_read() {
        let weighted = with_edges(
            "<edge id=\"0\" source=\"a\" target=\"b\"/><edge id=\"1\" source=\"b\" target=\"b\" \
             weight=\"2.5\"><viz:thickness value=\"7\"/></edge><edge id=\"2\" source=\"b\" \
             target=\"a\" type=\"directed\"/>",
        );
        let length = with_edges(
            "<edge source=\"a\" target=\"b\"><attvalues><attvalue for=\"0\" value=\"3\"/>\
             </attvalues></edge>",
        );
        let unit = "the input has no weights; each edge weighs 1";
        let directed = "the graph is directed; directions are ignored";
        let means_1 = "2 edges have no weight, which means 1 in this format";
        check_cases(
            Format::GEXF,
            &[
                Case::read(&weighted, 2, "0-1:1.0 1-1:2.5 1-0:1.0", &[directed, means_1])
                    .names("A & B C"),
                Case::refused(&length, "which attribute is the weight? numbers are in 'km'; pass"),
                Case::read(&length, 2, "0-1:3", &[]).weight("km").names("A & B C"),
                Case::read(&length, 2, "0-1:1", &[unit]).unit_weights().names("A & B C"),
                Case::refused(
                    &with_edges("<edge source=\"a\" target=\"c\"/>"),
                    "line 4, column 8: this edge ends at 'c', but no node has this id",
                ),
                Case::refused(&with_edges("<edge source=\"a\"/>"), "has no attribute 'target'"),
                Case::refused(
                    &with_edges("<edge source=\"a\" target=\"b\" weight=\"x\"/>"),
                    "line 4, column 8: the weight is 'x', which is not a number",
                ),
                Case::refused("<gexf><graph/><graph/></gexf>", "the file has a second graph"),
                Case::refused("<gexf></gexf>", "the file has no element <graph>; add it"),
                Case::refused("<gexf><graph>", "the file ends before </gexf>; it is cut short"),
            ],
        );
    }
}
