import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCertificate } from '@quickquote/dev-servers'

/**
 * The secrets of the host. A real host keeps them in its secret store; here they are in a file that only its owner can
 * read.
 */
export interface HostSecrets {
  /** Encrypts the signing secrets of webhook endpoints at rest; base64 of 32 bytes. */
  readonly encryptionKey: string
  /** Signs links to documents; base64 of 32 bytes. */
  readonly documentKey: string
  /** Self-signed, for 127.0.0.1 and localhost, and trusted only by this example. */
  readonly certificate: { readonly cert: string; readonly key: string }
}

/** Reads the secrets of a data folder, or creates them at the first start. */
export async function hostSecrets(dataFolder: string): Promise<HostSecrets> {
  await mkdir(dataFolder, { recursive: true })
  const file = join(dataFolder, 'host-secrets.json')
  return (await read(file)) ?? (await make(file))
}

async function read(file: string): Promise<HostSecrets | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * The server and the worker may start at the same moment: `link` is atomic, so one of them wins and no file is
 * incomplete.
 */
async function make(file: string): Promise<HostSecrets> {
  const secrets: HostSecrets = {
    encryptionKey: randomBytes(32).toString('base64'),
    documentKey: randomBytes(32).toString('base64'),
    certificate: await createCertificate(),
  }
  const draft = `${file}.${process.pid}`
  await writeFile(draft, JSON.stringify(secrets, null, 2), { mode: 0o600 })
  try {
    await link(draft, file)
    return secrets
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return JSON.parse(await readFile(file, 'utf8'))
  } finally {
    await rm(draft)
  }
}
