import { invalidField } from '../lib/errors.ts'
import { checkOrganizationId } from '../model/ids.ts'
import { EXPORT_PARTS, type ExportPart, type ExportStorage } from '../storage/export.ts'

/** Rows in memory. */
const PAGE = 100

/** See `Organizations.export`. */
export async function* exportOrganization(
  storage: ExportStorage,
  organizationId: string,
  after?: string,
): AsyncGenerator<string, void, undefined> {
  checkOrganizationId(organizationId)
  const begin = after === undefined ? null : positionOf(after)
  const parts = EXPORT_PARTS.slice(begin === null ? 0 : EXPORT_PARTS.indexOf(begin.part))
  for (const part of parts) {
    let place = part === begin?.part ? begin.place : null
    for (;;) {
      const rows = await storage.readPage(organizationId.toLowerCase(), part, place, PAGE)
      for (const row of rows) {
        place = row.place
        yield lineOf(part, row)
      }
      if (rows.length < PAGE) break
    }
  }
}

function lineOf(part: ExportPart, { place, content }: { place: string; content: string }): string {
  return `{"position":${JSON.stringify(`${part}:${place}`)},"type":"${part}","data":${content}}\n`
}

/** @throws IntegrationError VALIDATION_FAILED */
function positionOf(after: string): { part: ExportPart; place: string } {
  const [, name, place = ''] = /^(\w+):(\["[\w.:+-]+"(?:, ?"[\w.:+-]+")*\])$/.exec(after) ?? []
  const part = EXPORT_PARTS.find((each) => each === name)
  if (part === undefined) {
    throw invalidField('/after', 'must be the `position` of a line of the export')
  }
  return { part, place }
}
