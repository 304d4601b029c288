//! `POST /documents`: a large document in, its outline out.

use std::collections::BTreeMap;

use axum::Json;
use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::extract::{Input, Strict};

/// Sections are two levels of JSON each, so this is well within the parser's own limit of 128.
const DEPTH_LIMIT: usize = 32;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    title: String,
    sections: Vec<Section>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    title: String,
    paragraphs: Vec<String>,
    tags: BTreeMap<String, String>,
    sections: Vec<Section>,
}

impl Input for Document {
    const INVALID: ApiError = ApiError::InvalidDocument;

    const BODY_LIMIT: usize = 10 * 1024 * 1024;

    fn is_valid(&self) -> bool {
        is_within(&self.sections, DEPTH_LIMIT)
    }
}

#[derive(Debug, Serialize)]
pub struct Outline {
    title: String,
    sections: Vec<Entry>,
    totals: Totals,
}

#[derive(Debug, Serialize)]
struct Entry {
    number: String,
    title: String,
    words: usize,
    tags: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
struct Totals {
    sections: usize,
    paragraphs: usize,
    words: usize,
    depth: usize,
}

pub async fn documents(Strict(document): Strict<Document>) -> Json<Outline> {
    Json(outline(document))
}

fn is_within(sections: &[Section], levels: usize) -> bool {
    sections.iter().all(|section| {
        levels
            .checked_sub(1)
            .is_some_and(|below| is_within(&section.sections, below))
    })
}

fn outline(document: Document) -> Outline {
    let mut outline = Outline {
        title: document.title,
        sections: Vec::new(),
        totals: Totals::default(),
    };
    outline.add(document.sections, "", 1);
    outline
}

impl Outline {
    /// `prefix` is the number of the section above with a point behind it.
    fn add(&mut self, sections: Vec<Section>, prefix: &str, depth: usize) {
        for (index, section) in sections.into_iter().enumerate() {
            let number = format!("{prefix}{}", index + 1);
            let below = format!("{number}.");
            let words = section
                .paragraphs
                .iter()
                .map(|text| count_words(text))
                .sum();
            let tags = section.tags.into_iter();
            self.totals.sections += 1;
            self.totals.paragraphs += section.paragraphs.len();
            self.totals.words += words;
            self.totals.depth = self.totals.depth.max(depth);
            self.sections.push(Entry {
                number,
                title: section.title,
                words,
                tags: tags.map(|(key, value)| format!("{key}={value}")).collect(),
            });
            self.add(section.sections, &below, depth + 1);
        }
    }
}

fn count_words(text: &str) -> usize {
    text.split([' ', '\t', '\n', '\r'])
        .filter(|word| !word.is_empty())
        .count()
}
