#!/usr/bin/env bash
# restify 11.1.0 changes the responses of every HTTP server of its process: writeHead() returns nothing.
# A natural guess: importing a framework changes nothing for a server that does not use it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# On Node 24 and later restify 11 does not load, so this brings Node 22.
npm install --silent --no-audit --no-fund restify@11.1.0 node@22.23.3

cat >server.cjs <<'JS'
if (process.argv[2] === 'restify') require('restify')
const { createServer } = require('node:http')
const server = createServer((request, response) => {
  try {
    response.writeHead(200).end('works')
  } catch (error) {
    response.end(`${error.name}: ${error.message}`)
  }
})
server.listen(0, '127.0.0.1', async () => {
  console.log(await (await fetch(`http://127.0.0.1:${server.address().port}`)).text())
  server.close()
  server.closeAllConnections()
})
JS

without=$(node_modules/.bin/node --no-deprecation server.cjs)
with=$(node_modules/.bin/node --no-deprecation server.cjs restify)
cat <<TEXT
restify 11.1.0 on Node $(node_modules/.bin/node --version)
Expected: the same response with and without restify in the process, because the server is one of node:http.
Seen without restify: $without
Seen with restify:    $with
Why it matters: Node documents that writeHead() returns the response, so libraries chain it. An import anywhere in the process, such as
an old admin server, then breaks their responses; outside of a try it is an uncaught error. Two statements avoid it.
TEXT
[ "$without" = works ] && [ "$with" = "TypeError: Cannot read properties of undefined (reading 'end')" ]
