import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { itWith } from '@quickquote/dev-servers/vitest'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { ACME, useHost } from './support/host.ts'

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url))
const TEXT = 'Größe:\n7 "Zoll"'
const METADATA = '{"deal":"D-1 – „Größe“"}'
const CONTENTS = ['# Größe\r\n', `One line = ${'many words, '.repeat(20)}Größe`]

const context = useHost()
let folder: string
let key: string
/** Names as they may be on a disk. */
const names = ['Größe "7", 100%.md', '日本 %41; a=b.txt']

beforeAll(async () => {
  key = (await context.host.createKey()).key
  folder = await mkdtemp(join(tmpdir(), 'quickquote-clients-'))
  await Promise.all(names.map((name, index) => writeFile(join(folder, name), CONTENTS[index] ?? '')))
})
afterAll(() => rm(folder, { recursive: true }))

describe('two files with metadata, as other languages send them:', () => {
  itWith('php', ['-r', 'exit(extension_loaded("curl") ? 0 : 1);'])('PHP with curl', () =>
    expectUpload('php', 'upload.php'),
  )
  itWith('ruby')('Ruby with net/http', () => expectUpload('ruby', 'upload.rb'))
  itWith('/usr/bin/python3', ['-c', 'import urllib3'])('Python with urllib3', () =>
    expectUpload('/usr/bin/python3', 'upload.py'),
  )
  itWith('/usr/bin/python3')('Python with its mail library', () =>
    expectUpload('/usr/bin/python3', 'mail.py'),
  )
})

async function expectUpload(program: string, script: string): Promise<void> {
  const url = `${context.host.url}/v1/integrations/quotations`
  const paths = names.map((name) => join(folder, name))
  const { stdout } = await promisify(execFile)(program, [
    join(PROGRAMS, script),
    url,
    key,
    ...paths,
    TEXT,
    METADATA,
  ])
  const answer = JSON.parse(stdout)
  expect(answer).toEqual({ quotation_id: expect.any(String), status: 'queued' })
  const id: string = answer.quotation_id
  expect(
    await context.sql`select requirements_text, metadata from quickquote.quotations where id = ${id}`,
  ).toEqual([{ requirements_text: TEXT, metadata: JSON.parse(METADATA) }])
  const files = await context.sql`
    select id, name from quickquote.quotation_files where quotation_id = ${id} order by position`
  // Browsers, curl and urllib3 write %22 for a quote, others escape it.
  expect(files.map(({ name }) => name.replaceAll('%22', '_'))).toEqual(['Größe _7_, 100%.md', names[1]])
  const stored = files.map((file) =>
    buffer(context.host.integrations.storage.files.get({ id: file['id'], organization_id: ACME })),
  )
  expect((await Promise.all(stored)).map(String)).toEqual(CONTENTS)
}
