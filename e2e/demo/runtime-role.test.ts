import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import postgres from 'postgres'
import { inject, it, onTestFinished } from 'vitest'
import { tryProduct } from './product-trial.ts'

const CLI = fileURLToPath(
  new URL('../../packages/storage-drizzle/bin/quickquote-storage.js', import.meta.url),
)

it('API and worker need no more than the runtime role of `roles` has', async () => {
  const database = await emptyDatabase()
  const admin = postgres(database.url, { max: 1, onnotice() {} })
  // Unique names, because roles belong to the server, which other tests share.
  const suffix = randomBytes(4).toString('hex')
  const [owner, runtime] = [`owner_${suffix}`, `runtime_${suffix}`]
  onTestFinished(async () => {
    await database.drop()
    const server = postgres(inject('postgresUrl'), { max: 1 })
    await server.unsafe(`drop role ${owner}; drop role ${runtime}`)
    await server.end()
  })
  const script = execFileSync(process.execPath, [CLI, 'roles', '--owner', owner, '--runtime', runtime])
  await admin.unsafe(script.toString('utf8')).simple()
  await admin.unsafe(`alter role ${owner} password 'secret'; alter role ${runtime} password 'secret'`)
  const urlOf = (role: string) => {
    const url = new URL(database.url)
    url.username = role
    url.password = 'secret'
    return url.href
  }
  execFileSync(process.execPath, [CLI, 'migrate'], { env: { DATABASE_URL: urlOf(owner) } })

  const storage = drizzleStorage({ connectionString: urlOf(runtime) })
  await storage.requireMigrated()
  const host = postgres(urlOf(runtime), { max: 2 })
  await tryProduct(storage, { host })

  await host.end()
  await admin.end()
})
