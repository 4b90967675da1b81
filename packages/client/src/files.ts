/** The content of a file. A stream is read completely before the start is sent, so that the start can be repeated. */
export type FileContent =
  | Blob
  | Uint8Array<ArrayBuffer>
  | ArrayBuffer
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>

export interface NamedFile {
  /** With its extension: `docx`, `pdf`, `txt` or `md`. */
  readonly name: string
  readonly content: FileContent
}

/** A file of a start: a path (in Node, Deno or Bun), a `File`, or a name with its content. */
export type RequirementsFile = string | File | NamedFile

/**
 * @throws TypeError unless it is a file, or for a path without a file system; and errors of reading the file
 */
export async function formOf(
  fields: Readonly<Record<string, unknown>>,
  files: readonly RequirementsFile[],
): Promise<FormData> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  for (const [index, file] of files.entries()) {
    const { name, content } = await read(file, index)
    form.append('files', content, name)
  }
  return form
}

async function read(file: RequirementsFile, index: number): Promise<{ name: string; content: Blob }> {
  if (typeof file === 'string') return { name: baseName(file), content: new Blob([await readPath(file)]) }
  if (file instanceof File) return { name: file.name, content: file }
  if (typeof file?.name !== 'string' || file.content === undefined) {
    throw new TypeError(`files[${index}] must be a path, a File, or { name, content }`)
  }
  return { name: file.name, content: await blobOf(file.content) }
}

async function blobOf(content: FileContent): Promise<Blob> {
  if (content instanceof Blob) return content
  if (!(Symbol.asyncIterator in content) && !(content instanceof ReadableStream)) return new Blob([content])
  const chunks: Uint8Array<ArrayBuffer>[] = []
  // Every runtime can iterate a ReadableStream; the types lag behind.
  for await (const chunk of content as AsyncIterable<Uint8Array<ArrayBuffer>>) chunks.push(chunk)
  return new Blob(chunks)
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}

interface WithFileSystem {
  readonly process?: {
    getBuiltinModule?(name: 'node:fs/promises'): { readFile(path: string): Promise<Uint8Array<ArrayBuffer>> }
  }
}

/** Loaded late and without an import: bundles for the edge have no file system. */
async function readPath(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const files = (globalThis as WithFileSystem).process?.getBuiltinModule?.('node:fs/promises')
  if (files === undefined) {
    throw new TypeError('There is no file system here: pass a File, or { name, content }, instead of a path')
  }
  return files.readFile(path)
}
