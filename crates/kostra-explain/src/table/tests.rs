use super::*;

/// What a table is read as: the numbers of vertices and edges, or the key of the question.
fn read_as(text: &str, choices: &str) -> Result<String, String> {
    Ok(match read(text, &Choices::parse(choices))? {
        Reading::Scene(scene) => {
            let described = scene.describe()?;
            let count = |name: &str| {
                let list = described.split(&format!("\"{name}\":[")).nth(1).unwrap_or_default();
                list.split("]]").next().unwrap_or_default().matches('[').count()
            };
            format!("{} vertices, {} edges", count("places"), count("edges"))
        }
        Reading::Question(question) => format!("{}? {}", question.key, question.sentence),
    })
}

#[test]
fn a_header_decides_what_the_columns_mean() {
    for text in ["x,y\n0,0\n1,0\n0,1\n", "name;X;Y\na;0;0\nb;1;0\nc;0;1\n"] {
        assert_eq!(read_as(text, "").unwrap(), "3 vertices, 2 edges", "{text}");
    }
    for text in [
        "source,target,weight\na,b,1\nb,c,2\nc,a,3\n",
        "\u{feff}# a comment\nfrom;to;km\r\n\"a\";b;1\r\nb;c;2\r\n\r\nc;a;3\r\n",
        "lanes\tv\tu\tweight\n1\tb\ta\t2\n2\tc\tb\t3\n1\ta\tc\t3\n",
    ] {
        assert_eq!(read_as(text, "").unwrap(), "3 vertices, 3 edges", "{text}");
    }
    assert_eq!(read_as("Praha,Brno,205\nBrno,Ostrava,170\n", "").unwrap(), "3 vertices, 2 edges");
}

#[test]
fn two_meanings_are_a_question_and_its_answer_decides() {
    let cases = [
        ("0,0\n1,1\n", "meaning", "meaning=points", "2 vertices, 1 edges"),
        ("0 1\n1 2\n", "meaning", "meaning=edges\nweight=unit", "3 vertices, 2 edges"),
        ("0,1,5\n1,2,6\n", "meaning", "meaning=edges", "3 vertices, 2 edges"),
        ("a,0,1\nb,1,2\n", "meaning", "meaning=points", "2 vertices, 1 edges"),
        ("a,b\nb,c\n", "header", "header=no\nweight=unit", "3 vertices, 2 edges"),
        ("a,b\nb,c\n", "header", "header=yes\nweight=unit", "2 vertices, 1 edges"),
        ("u,v\n1,2\n", "weight", "weight=unit", "2 vertices, 1 edges"),
        ("from,to,km,lanes\na,b,5,1\n", "weight", "weight=2", "2 vertices, 1 edges"),
        (
            "x,y,source,target,w\n1,2,3,4,5\n",
            "meaning",
            "meaning=edges\nweight=4",
            "2 vertices, 1 edges",
        ),
        ("u;v;w,x\n1;2;3\n", "separator", "separator=semicolon", "2 vertices, 1 edges"),
    ];
    for (text, key, choices, expected) in cases {
        let question = read_as(text, "").unwrap();
        assert!(question.starts_with(&format!("{key}? ")), "{text}: {question}");
        assert_eq!(read_as(text, choices).unwrap(), expected, "{text}");
    }
}

#[test]
fn faults_are_sentences_with_the_line() {
    let cases = [
        ("\n# nothing\n", "the file has no lines with data"),
        ("x\n1\n", "line 1 has one column"),
        ("x,y\n1,2\n3\n", "line 3 has a different number of columns (1) than line 1 (2)"),
        ("x,y\n1,2\n3,nan\n", "line 3: the coordinate \"nan\" is not a finite number"),
        ("u,v,w\na,b,1\nb,c,inf\n", "line 1 name"),
        ("source,target,weight\na,b,1\n,c,2\n", "line 3: an end of the edge has no name"),
        ("x,y\n1,\"2\n", "line 2: a quote is not closed"),
        ("x,y\n-1e308,0\n1e308,0\n", "the weights are too large"),
        ("x,x,y\n1,2,3\n", "two columns \"x\""),
    ];
    for (text, expected) in cases {
        let answer = read_as(text, "").unwrap_or_else(|sentence| sentence);
        assert!(answer.contains(expected), "{text}: {answer}");
    }
    let fault = read_as("u,v,w\na,b,1\nb,c,inf\n", "header=yes").unwrap_err();
    assert_eq!(fault, "line 3: the weight \"inf\" is not a finite number");
    let many: String = (0..=crate::MAX_VERTICES).map(|at| format!("{at},{}\n", at % 7)).collect();
    let fault = read_as(&format!("x,y\n{many}"), "").unwrap_err();
    assert!(fault.starts_with("this page draws at most 1000 vertices"), "{fault}");
}

#[test]
fn random_tables_have_an_answer() {
    const PIECES: &[&str] = &[
        ",", ",", ",", "\n", "\n", ";", "\t", " ", "\"", "#", "x", "y", "source", "target",
        "weight", "0", "1", "-2.5", "1e300", "-1e300", "1e-320", "nan", "é", "\u{0}", "\r\n",
    ];
    let random = kostra_core::random::RandomStream::new(5);
    let mut scenes = 0;
    for table in 0..3000 {
        let text: String = (0..random.at(100 * table) % 60)
            .map(|at| PIECES[random.at(100 * table + at + 1) as usize % PIECES.len()])
            .collect();
        for choices in ["", "meaning=points\nheader=no", "meaning=edges\nheader=no\nweight=unit"] {
            if let Ok(Reading::Scene(scene)) = read(&text, &Choices::parse(choices)) {
                let described = scene.describe().unwrap();
                assert!(!described.contains("inf") && !described.contains("NaN"), "{text:?}");
                scene.clusters(1.0).unwrap();
                scenes += 1;
            }
        }
    }
    assert!(scenes > 50, "{scenes} scenes");
}
