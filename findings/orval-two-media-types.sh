#!/usr/bin/env bash
# orval 8.38.0: a client generated for an operation that takes JSON or a form sends neither. A file becomes `{}`, without an error.
# A natural guess: the function takes either body, so it sends a body with a file as a form, and any other as JSON.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm pkg set type=module
npm install --silent --no-audit --no-fund orval@8.38.0 typescript@5.9.3

cat >api.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Translations", "version": "1" },
  "paths": { "/translations": { "post": {
    "operationId": "translate",
    "requestBody": { "required": true, "content": {
      "application/json": { "schema": {
        "type": "object", "required": ["text"], "properties": { "text": { "type": "string" } } } },
      "multipart/form-data": { "schema": {
        "type": "object", "required": ["file"], "properties": { "file": { "type": "string", "format": "binary" } } } }
    } },
    "responses": { "202": { "description": "Accepted" } }
  } } }
}
JSON
cat >orval.config.mjs <<'JS'
const output = (target, override) => ({ input: './api.json', output: { target, client: 'fetch', override } })
export default { default: output('default.ts', {}), split: output('split.ts', { splitByContentType: true }) }
JS
node_modules/.bin/orval >/dev/null 2>&1

cat >upload.ts <<'TS'
import { translate } from './default.js'
import { translateWithFormData } from './split.js'

globalThis.fetch = async (url, init) => {
  const request = new Request(new URL(String(url), 'https://service.example'), init)
  const [type] = request.headers.get('content-type')!.split('; boundary')
  console.log(type === 'multipart/form-data' ? type : `${type} ${await request.text()}`)
  return new Response(null, { status: 202 })
}
await translate({ text: 'Hello' })
await translate({ file: new File(['Hello'], 'hello.txt') })
await translateWithFormData({ file: new File(['Hello'], 'hello.txt') })
TS
node_modules/.bin/tsc --strict --target es2022 --module nodenext --lib es2022,dom,dom.iterable --skipLibCheck upload.ts

{ read -r text && read -r file && read -r split; } < <(node upload.js)
cat <<TEXT
orval 8.38.0 on Node $(node --version), client "fetch", checked by TypeScript in strict mode
Expected: application/json for { text }, multipart/form-data for { file }.
Seen for { text }: $text
Seen for { file }: $file
Seen for { file } with override.splitByContentType: $split
Why it matters: the types accept a File, and the file is lost before the request is sent. A server that looks at the media type refuses both
bodies; one that parses every body as JSON has an empty object for the file. With splitByContentType there is one function for each media type.
TEXT
[ "$text" = 'text/plain;charset=UTF-8 {"text":"Hello"}' ] &&
  [ "$file" = 'text/plain;charset=UTF-8 {"file":{}}' ] &&
  [ "$split" = multipart/form-data ]
