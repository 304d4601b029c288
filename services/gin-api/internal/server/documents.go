package server

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"
)

const (
	documentBodyLimit = 10 << 20
	depthLimit        = 32
)

// document and section have pointers to tell what is missing.
type document struct {
	Title    *string   `json:"title"`
	Sections []section `json:"sections"`
}

type section struct {
	Title      *string           `json:"title"`
	Paragraphs []string          `json:"paragraphs"`
	Tags       map[string]string `json:"tags"`
	Sections   []section         `json:"sections"`
}

type outline struct {
	Title    string        `json:"title"`
	Sections []outlineItem `json:"sections"`
	Totals   totals        `json:"totals"`
}

type outlineItem struct {
	Number string   `json:"number"`
	Title  string   `json:"title"`
	Words  int      `json:"words"`
	Tags   []string `json:"tags"`
}

type totals struct {
	Sections   int `json:"sections"`
	Paragraphs int `json:"paragraphs"`
	Words      int `json:"words"`
	Depth      int `json:"depth"`
}

func outlineDocument(c *gin.Context) error {
	body, err := readJSON(c, documentBodyLimit)
	if err != nil {
		return err
	}
	request, err := decodeJSON[document](body, errInvalidDocument)
	if err != nil {
		return err
	}
	return answerJSON(c, http.StatusOK, request.outline())
}

func (d document) valid() bool {
	return d.Title != nil && validSections(d.Sections, depthLimit)
}

func validSections(sections []section, deepest int) bool {
	if sections == nil || len(sections) > 0 && deepest == 0 {
		return false
	}
	return !slices.ContainsFunc(sections, func(s section) bool {
		return s.Title == nil || s.Paragraphs == nil || s.Tags == nil || !validSections(s.Sections, deepest-1)
	})
}

func (d document) outline() outline {
	o := outline{Title: *d.Title, Sections: []outlineItem{}}
	o.add(d.Sections, "", 1)
	return o
}

// add appends the sections at that depth, whose numbers begin with prefix, each followed by its own.
func (o *outline) add(sections []section, prefix string, depth int) {
	for i, s := range sections {
		words := 0
		for _, paragraph := range s.Paragraphs {
			words += countWords(paragraph)
		}
		number := prefix + strconv.Itoa(i+1)
		o.Sections = append(o.Sections, outlineItem{number, *s.Title, words, sortedTags(s.Tags)})
		o.Totals.Sections++
		o.Totals.Paragraphs += len(s.Paragraphs)
		o.Totals.Words += words
		o.Totals.Depth = max(o.Totals.Depth, depth)
		o.add(s.Sections, number+".", depth+1)
	}
}

func countWords(text string) int {
	words, inWord := 0, false
	for i := range len(text) {
		switch text[i] {
		case ' ', '\t', '\n', '\r':
			inWord = false
		default:
			if !inWord {
				words++
			}
			inWord = true
		}
	}
	return words
}

func sortedTags(tags map[string]string) []string {
	sorted := slices.AppendSeq(make([]string, 0, len(tags)), maps.Keys(tags))
	slices.Sort(sorted)
	for i, key := range sorted {
		sorted[i] = key + "=" + tags[key]
	}
	return sorted
}
