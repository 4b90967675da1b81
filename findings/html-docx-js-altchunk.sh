#!/usr/bin/env bash
# html-docx-js 0.3.1 writes Word documents in which other programs find no text.
# A natural guess: it converts the HTML to the paragraphs of a docx, which every reader of docx files understands.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund html-docx-js@0.3.1 mammoth@1.13.0 word-extractor@1.0.4 jszip@3.10.1

cat >read.cjs <<'JS'
const { asBlob } = require('html-docx-js')
const JSZip = require('jszip')
const mammoth = require('mammoth')
const WordExtractor = require('word-extractor')

const text = 'Customers sign in.'
const show = (name, found) => console.log(`${name}: ${found.includes(text) ? text : JSON.stringify(found.trim())}`)
;(async () => {
  const html = asBlob(`<!DOCTYPE html><html><body><p>${text}</p></body></html>`)
  const buffer = Buffer.from(await html.arrayBuffer())
  const zip = await JSZip.loadAsync(buffer)
  show('mammoth', (await mammoth.extractRawText({ buffer })).value)
  show('word-extractor', (await new WordExtractor().extract(buffer)).getBody())
  show('word/document.xml', (await zip.file('word/document.xml').async('text')).match(/<w:body>\s*(<\w.*?>)/)[1])
  show('word/afchunk.mht', await zip.file('word/afchunk.mht').async('text'))
})()
JS

seen=$(node read.cjs)
cat <<TEXT
html-docx-js 0.3.1, read by mammoth 1.13.0 and word-extractor 1.0.4, on Node $(node --version)
Expected: every reader finds the text of the only paragraph.
Seen:
$seen
Why it matters: the main part only refers to a MIME copy of the HTML, which Word converts when it opens the file. Whoever wrote the document sees
it in Word as intended. A service that extracts text, indexes or translates gets an empty document, and no error.
TEXT
[ "$seen" = 'mammoth: ""
word-extractor: ""
word/document.xml: "<w:altChunk r:id=\"htmlChunk\" />"
word/afchunk.mht: Customers sign in.' ]
