//! `POST /documents`: a large document in, its outline out.

use std::collections::BTreeMap;

use axum::extract::{Request, State};
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};

use crate::body::{Object, parse_object, read_json};
use crate::error::ApiError;
use crate::state::AppState;

pub const PATH: &str = "/documents";

const BODY_LIMIT: usize = 10 * 1024 * 1024;

/// Sections are two levels of JSON each, so this is well within the parser's own limit of 128.
const DEPTH_LIMIT: usize = 32;

pub fn router() -> Router<AppState> {
    Router::new().route(PATH, post(documents))
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    title: String,
    sections: Vec<Object<Section>>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    title: String,
    paragraphs: Vec<String>,
    tags: BTreeMap<String, String>,
    sections: Vec<Object<Section>>,
}

#[derive(Serialize)]
struct Outline {
    title: String,
    sections: Vec<Entry>,
    totals: Totals,
}

#[derive(Serialize)]
struct Entry {
    number: String,
    title: String,
    words: usize,
    tags: Vec<String>,
}

#[derive(Default, Serialize)]
struct Totals {
    sections: usize,
    paragraphs: usize,
    words: usize,
    depth: usize,
}

async fn documents(
    State(state): State<AppState>,
    request: Request,
) -> Result<Json<Outline>, ApiError> {
    let body = read_json(request, BODY_LIMIT, state.request_timeout).await?;
    Ok(Json(outline(parse(&body)?)))
}

pub fn parse(body: &[u8]) -> Result<Document, ApiError> {
    let document: Document = parse_object(body, ApiError::InvalidDocument)?;
    if is_within(&document.sections, DEPTH_LIMIT) {
        Ok(document)
    } else {
        Err(ApiError::InvalidDocument)
    }
}

fn is_within(sections: &[Object<Section>], levels: usize) -> bool {
    sections.iter().all(|Object(section)| {
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
    fn add(&mut self, sections: Vec<Object<Section>>, prefix: &str, depth: usize) {
        for (index, Object(section)) in sections.into_iter().enumerate() {
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
