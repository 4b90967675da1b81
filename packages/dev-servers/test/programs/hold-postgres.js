// A program that starts PostgreSQL on the folder, and on SIGINT uses it once more before stopping it.
import { startPostgres } from '@quickquote/dev-servers'
import postgres from 'postgres'

const [dataDir, ending] = process.argv.slice(2)
const server = await startPostgres({ dataDir })
const sql = postgres(server.url, { max: 1, onnotice: () => undefined })
await sql`CREATE TABLE IF NOT EXISTS kept (line text)`
await sql`INSERT INTO kept VALUES ('written by the program')`
const [{ pid }] = await sql`SELECT pg_backend_pid() AS pid`
await sql.end()

if (ending === 'exit') process.exit(0)
const stayAlive = setInterval(() => undefined, 60_000)
process.once('SIGINT', async () => {
  // The signal went to the whole process group: waits long enough for it to reach the server, if it were in the group.
  await new Promise((resolve) => setTimeout(resolve, 200))
  const late = postgres(server.url, { max: 1 })
  const [{ count }] = await late`SELECT count(*)::int AS count FROM kept`
  await late.end()
  await server.stop()
  console.log(JSON.stringify({ countAfterSignal: count }))
  clearInterval(stayAlive)
})
console.log(JSON.stringify({ url: server.url, port: server.port, backend: pid }))
