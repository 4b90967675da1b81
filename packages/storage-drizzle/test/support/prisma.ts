import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { installed } from '@quickquote/dev-servers'

const run = promisify(execFile)

/** What a host's own program has, after `prisma generate`. */
export interface Prisma {
  open(url: string): PrismaClient
  remove(): Promise<void>
}

interface PrismaClient extends PrismaTransaction {
  $transaction<T>(work: (tx: PrismaTransaction) => Promise<T>): Promise<T>
  $disconnect(): Promise<void>
}

interface PrismaTransaction {
  $queryRawUnsafe(text: string, ...values: unknown[]): Promise<unknown>
}

const PACKAGES = ['prisma@7.10.1', '@prisma/client@7.10.0', '@prisma/adapter-pg@7.10.1']

const SCHEMA = `
generator client {
  provider = "prisma-client"
  output   = "./client"
}

datasource db {
  provider = "postgresql"
}
`

/**
 * Installs Prisma and generates a client. It is no dependency: drizzle has it among its optional peers, and would be
 * there twice.
 */
export async function installPrisma(): Promise<Prisma> {
  const { folder, remove } = await installed(PACKAGES)
  await writeFile(join(folder, 'schema.prisma'), SCHEMA)
  const cli = join(folder, 'node_modules/prisma/build/index.js')
  await run(process.execPath, [cli, 'generate', '--schema', 'schema.prisma'], {
    cwd: folder,
    // Only migrations need the engine, which would be downloaded.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath },
  })
  const { PrismaPg } = createRequire(join(folder, 'package.json'))('@prisma/adapter-pg')
  const { PrismaClient } = await import(pathToFileURL(join(folder, 'client/client.ts')).href)
  return {
    open: (connectionString) => new PrismaClient({ adapter: new PrismaPg({ connectionString }) }),
    remove,
  }
}
