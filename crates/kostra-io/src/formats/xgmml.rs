//! XGMML, the XML format of Cytoscape: nodes with labels, and edges with elements `att`.

use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo};
use crate::xml;
use crate::xml_graph::{self, Dialect};

impl Format {
    /// XGMML: nodes and edges with attributes, as XML of Cytoscape.
    pub const XGMML: Self = Self::new(&FormatInfo {
        id: "xgmml",
        title: "XGMML",
        extensions: &["xgmml"],
        summary: "XGMML: nodes and edges with attributes, as Cytoscape writes them",
        has_attributes: true,
        recognize,
        read: |stream, options| xml_graph::read(stream, options, &DIALECT),
        ..FormatInfo::READ_ONLY
    });
}

const DIALECT: Dialect = Dialect {
    title: "XGMML",
    root: "graph",
    value: "att",
    depth: 1,
    called: &["name"],
    default: None,
    // Cytoscape numbers and names its edges itself.
    ignored: &[
        "id",
        "SUID",
        "name",
        "shared name",
        "interaction",
        "shared interaction",
        "canonicalName",
        "selected",
        "directed",
    ],
};

fn recognize(head: &Head<'_>) -> Evidence {
    Evidence::Signature.when(xml::root(head.text()) == Some(DIALECT.root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, check_cases};

    #[test]
    fn networks_of_cytoscape_are_read_also_in_one_line() {
        let one_line = "<graph label=\"x\" xmlns=\"http://www.cs.rpi.edu/XGMML\"><node id=\"1\" \
                        label=\"a\"/><node id=\"2\" label=\"b\"/><edge source=\"1\" target=\"2\" \
                        weight=\"7\"/></graph>";
        let with_att = |edge: &str| {
            format!(
                "<?xml version=\"1.0\"?>\n<!DOCTYPE graph [ <!ENTITY x \"y\"> ]>\n<graph \
                 directed=\"1\">\n<att name=\"size\" value=\"5\"/>\n<node id=\"-1\" label=\"YAL\">\
                 <att><graph><node xlink:href=\"#-2\"/><node id=\"-3\" label=\"in\"/></graph></att>\
                 </node><node id=\"-2\" label=\"YBR\"/>\n<edge source=\"-1\" target=\"-2\" \
                 id=\"4\"><att name=\"SUID\" value=\"52\" type=\"long\"/>{edge}</edge></graph>"
            )
        };
        let named = with_att("<att name=\"weight\" value=\"0.5\" type=\"real\"/>");
        let other = with_att("<att name=\"combined\" value=\"3\" type=\"integer\"/>");
        let list =
            with_att("<att name=\"x\" type=\"list\"><att name=\"weight\" value=\"1\"/></att>");
        let directed = "the graph is directed; directions are ignored";
        let unit = "the input has no weights; each edge weighs 1";
        check_cases(
            Format::XGMML,
            &[
                Case::read(one_line, 2, "0-1:7", &[]).names("a b"),
                Case::read(&named, 3, "0-2:0.5", &[directed]).names("YAL in YBR"),
                Case::refused(
                    &with_att("<att name=\"__isMetaEdge\" value=\"true\"/>"),
                    "an edge of a group stands for edges of its nodes; expand the groups",
                ),
                Case::refused(&other, "which attribute is the weight? numbers are in 'combined'"),
                Case::read(&list, 3, "0-2:1", &[directed, unit]).names("YAL in YBR"),
                Case::refused(
                    "<graph><node/></graph>",
                    "this <node> has no attribute 'id'; add it",
                ),
                Case::refused(
                    "<graph><node id=\"1\" id=\"2\"/></graph>",
                    "has two attributes 'id'",
                ),
                Case::refused("<graph><node id=\"1\">", "the file ends before </graph>"),
            ],
        );
    }
}
