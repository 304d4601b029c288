package server

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"
)

const (
	documentsPath     = "/documents"
	documentBodyLimit = 10 << 20
	depthLimit        = 32
)

var (
	sectionShape  = &shape{{"title", nil}, {"paragraphs", nil}, {"tags", plain()}, {"sections", nil}}
	documentShape = &shape{{"title", nil}, {"sections", sectionShape}}
)

func init() {
	(*sectionShape)[3].objects = sectionShape
}

type document struct {
	Title    string    `json:"title"`
	Sections []section `json:"sections"`
}

type section struct {
	Title      string            `json:"title"`
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

func addDocumentsRoutes(routes gin.IRoutes) {
	routes.POST(documentsPath, outlineDocument)
}

func outlineDocument(c *gin.Context) {
	body, apiErr := readJSON(c, documentBodyLimit)
	if apiErr != nil {
		apiErr.answer(c)
		return
	}
	request, apiErr := parseDocument(body)
	if apiErr != nil {
		apiErr.answer(c)
		return
	}
	answerJSON(c, http.StatusOK, request.outline())
}

func parseDocument(body []byte) (document, *apiError) {
	var d document
	if apiErr := parseObject(body, &d, documentShape, errInvalidDocument); apiErr != nil {
		return document{}, apiErr
	}
	if isDeeper(d.Sections, depthLimit) {
		return document{}, errInvalidDocument
	}
	return d, nil
}

func isDeeper(sections []section, limit int) bool {
	return len(sections) > 0 && (limit == 0 || slices.ContainsFunc(sections, func(s section) bool {
		return isDeeper(s.Sections, limit-1)
	}))
}

func (d document) outline() outline {
	o := outline{Title: d.Title, Sections: []outlineItem{}}
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
		o.Sections = append(o.Sections, outlineItem{number, s.Title, words, sortedTags(s.Tags)})
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
	keys := make([]string, 0, len(tags))
	for key := range tags {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for i, key := range keys {
		keys[i] = key + "=" + tags[key]
	}
	return keys
}
