import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Page, pages, ROOT, wordsOf } from './pages.ts'

/** Our habits that make readers stumble, as regular expressions, with better words. A space matches any white space. */
const HABITS: [habit: string, better: string][] = [
  ['comes? along', 'is bundled, is included'],
  ['takes? (\\w+ ){1,3}along', 'includes'],
  ['(make|makes|made|making) (a|an|the|another|new) (new )?(API )?(key|endpoint|secret)s?', 'create'],
  ['tells', 'reports, indicates, returns, says'],
  ['(is|are|was|were|be|been) told', 'is notified of, is given'],
  ['time-outs?', 'timeout'],
  ['hears? (of|when)', 'is notified'],
  ['of (yours|ours|theirs)', 'your, our, their'],
  ['stands? in(?! for)', 'is in'],
  ['whoever', 'anyone who, or name the actor'],
  ['nothing but', 'only'],
  ['at a word', 'on demand'],
  ['in the manner of', '-style'],
  ['how manieth', 'the attempt number'],
  ['for ever', 'forever, indefinitely'],
  ['how (it|they) ended', 'its result, by outcome'],
  ['that it lives', 'sends a heartbeat'],
  ['told (it|them) of', 'was not notified of'],
  ['mend(s|ed|ing)?', 'fix, correct'],
  ['looks? after', 'check, take care of'],
  ['anew', 'again'],
  ['under way', 'in progress, in flight'],
  ['as ever', 'as before, as usual'],
  ['in the place of', 'instead of'],
  ['what came (back|of)', 'the response, the result'],
  ['what (was|were) (\\w+ed|sent|kept|written|begun|made|left)', 'a noun: the deliveries, the rest'],
  ['(that|which|it) is no (?!longer|more|less)', 'is not a'],
  ['all that it takes', 'all you need'],
  ['what holds', 'the default, the rule'],
  ['is (well|ill) done', 'works'],
  ['as (it|they|he) may have', 'has reached its limit of'],
  ['without a pause', 'uninterrupted'],
  ['let(s)? (\\w+ ){1,2}through', 'allow, pass'],
  ['judges?', 'checks, decides'],
  ['junk', 'invalid values'],
  ['put(s)? (it|them) together', 'combines'],
  ['backoff', 'back-off'],
  ['licence', 'license'],
]

const PATTERNS = HABITS.map(([habit, better]) => ({
  pattern: new RegExp(`(?<![\\w-])(?:${habit.replaceAll(' ', '\\s+')})(?![\\w-])`, 'gi'),
  better,
}))

/** Without code, the changelog and generated pages: longer documents repeat themselves and go unread. */
const MOST_WORDS = 22_700

/** New ones are wrapped at 120. */
const WIDEST = 128

const blank = (text: string) => text.replace(/[^\n]/g, ' ')

/** The start of a line of a comment, in each language of the tree. */
const COMMENT = /^\s*(?:\/\/|\/?\*+|--|#)\s|(?<=\s)\/\/\s/

/** The sentences of a source file: its comments, and its literals of three words or more. Keeps the lines. */
function sentences(source: string): string {
  const comments: string[] = []
  const code = source
    .split('\n')
    .map((line) => {
      const { 0: mark = '', index = line.length } = COMMENT.exec(line) ?? {}
      comments.push(line.slice(index + mark.length))
      return line.slice(0, index)
    })
    .join('\n')
  const literals: string[] = []
  let end = 0
  for (const literal of code.matchAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g)) {
    literals.push(blank(code.slice(end, literal.index)))
    literals.push(/\w+ \S+ \S+/.test(literal[0]) ? wordsOf(literal[0].slice(1, -1)) : blank(literal[0]))
    end = literal.index + literal[0].length
  }
  return [...literals, blank(code.slice(end))]
    .join('')
    .split('\n')
    .map((line, index) => `${line} ${comments[index]}`)
    .join('\n')
}

const SOURCE = /\.(?:[cm]?[jt]sx?|sql|ya?ml|py|go|rb|php|java|sh|css|html|grit)$|^\.ci\/run$/

/** Scratch and generated folders, and this file, which names the habits. */
const SKIPPED =
  /(?:^|\/)(?:\.(?!ci$|github$)[^/]*|node_modules|dist|coverage|generated|versions|plain-english\.test\.ts)$/

function sources(folder = '.'): Page[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (SKIPPED.test(path)) return []
    if (entry.isDirectory()) return sources(path)
    if (!SOURCE.test(path)) return []
    const text = readFileSync(join(ROOT, path), 'utf8')
    return [{ path, text: path.endsWith('.html') ? wordsOf(text) : sentences(text) }]
  })
}

const openapi = 'docs/reference/openapi.json'
const texts: Page[] = [
  ...pages().map(({ path, text }) => ({ path, text: wordsOf(text) })),
  { path: openapi, text: sentences(readFileSync(join(ROOT, openapi), 'utf8')) },
  ...sources(),
]

/** Each habit in a text: where it is, and the better word. */
function found({ path, text }: Page): string[] {
  return PATTERNS.flatMap(({ pattern, better }) =>
    [...text.matchAll(pattern)].map(({ 0: phrase, index }) => {
      const line = text.slice(0, index).split('\n').length
      return `${path}:${line}: "${phrase}": ${better}`
    }),
  )
}

describe('Plain English', () => {
  it('has none of the habits', () => {
    expect(texts.flatMap(found)).toEqual([])
  })

  it(`has no comment in code that is wider than ${WIDEST} columns`, () => {
    const wide = texts
      .filter(({ path }) => /\.[cm]?[jt]sx?$/.test(path))
      .flatMap(({ path }) =>
        readFileSync(join(ROOT, path), 'utf8')
          .split('\n')
          .flatMap((line, index) =>
            /^\s*(?:\/\/|\/?\*)/.test(line) && line.length > WIDEST ? `${path}:${index + 1}` : [],
          ),
      )
    expect(wide).toEqual([])
  })

  it(`has at most ${MOST_WORDS} words in the pages that people write`, () => {
    const counts = pages()
      .filter(({ path }) => !/^(?:CHANGELOG\.md|docs\/reference\/|docs\/monitoring\/)/.test(path))
      .map(({ path, text }) => ({ path, words: wordsOf(text).match(/\p{L}\S*/gu)?.length ?? 0 }))
      .sort((a, b) => b.words - a.words)
    const total = counts.reduce((sum, { words }) => sum + words, 0)
    expect(total, `Longest: ${JSON.stringify(counts.slice(0, 5))}`).toBeLessThanOrEqual(MOST_WORDS)
  })
})
