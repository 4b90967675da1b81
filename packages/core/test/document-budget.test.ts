import { docx } from '@quickquote/dev-servers/docx-samples'
import {
  HOSTILE_FILES,
  HOSTILE_MAIN_PARTS,
  HOSTILE_NAMES,
  HOSTILE_XML,
} from '@quickquote/dev-servers/hostile-documents'
import { MAX_DOCUMENT_TURN_MS, TURNS_ARE_MEASURABLE } from '@quickquote/dev-servers/longest-turn'
import { beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../src/model/limits.ts'
import { useUploadTurns } from './support/upload-turns.ts'

const turnOf = useUploadTurns()

describe.runIf(TURNS_ARE_MEASURABLE)('no upload keeps the event loop longer than 20 ms at once:', () => {
  beforeAll(async () => {
    for (const name of ['a.docx', 'a.txt', 'a.pdf']) await turnOf(name, docx())
  })

  it.each(Object.entries(HOSTILE_XML))('content types with %s', async (_what, contentTypes) => {
    expect(await turnOf('a.docx', docx([], { contentTypes }))).toBeLessThan(MAX_DOCUMENT_TURN_MS)
  })

  it.each(Object.entries(HOSTILE_MAIN_PARTS))('a main part of %s', async (_what, { bytes }) => {
    expect(await turnOf('a.docx', docx([], { mainPart: bytes() }))).toBeLessThan(MAX_DOCUMENT_TURN_MS)
  })

  it.each(Object.entries(HOSTILE_FILES))('%s, in pieces or in one', async (_what, { name, bytes }) => {
    const file = bytes()
    expect(await turnOf(name, file, 64 * 1024)).toBeLessThan(MAX_DOCUMENT_TURN_MS)
    expect(await turnOf(name, file, DEFAULT_LIMITS.fileBytes)).toBeLessThan(MAX_DOCUMENT_TURN_MS)
  })

  it.each(Object.entries(HOSTILE_NAMES))('a file name of %s', async (_what, name) => {
    expect(await turnOf(name, Buffer.from('text'))).toBeLessThan(MAX_DOCUMENT_TURN_MS)
  })
})
