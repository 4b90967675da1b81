/** The content of a proposal. The simulated pipeline derives it from the requirements; a real one would ask experts. */
export interface ProposalContent {
  readonly title: string
  readonly packages: readonly WorkPackage[]
  /** Person-days over all packages. */
  readonly totalDays: number
}

export interface WorkPackage {
  readonly name: string
  readonly requirements: readonly string[]
  /** Person-days. */
  readonly effort: { readonly design: number; readonly build: number; readonly test: number }
}

interface Section {
  readonly heading: string
  readonly items: string[]
  readonly paragraphs: string[]
}

/**
 * Reads requirements in Markdown or plain text: the first heading is the title, each further heading a work package,
 * each list item a requirement. In a text without lists each paragraph counts as a requirement.
 * @param fallbackTitle the title of a text without headings
 */
export function proposalContentOf(requirementsText: string, fallbackTitle: string): ProposalContent {
  const sections = sectionsOf(requirementsText)
  const hasLists = sections.some((section) => section.items.length > 0)
  const packages = sections
    .map((section) => workPackage(section.heading, hasLists ? section.items : section.paragraphs))
    .filter((each) => each.requirements.length > 0)
  return {
    title: sections.find((section) => section.heading !== '')?.heading ?? fallbackTitle,
    packages,
    totalDays: packages.reduce((days, each) => days + daysOf(each), 0),
  }
}

/** Person-days of one package. */
export function daysOf({ effort }: WorkPackage): number {
  return effort.design + effort.build + effort.test
}

function sectionsOf(text: string): Section[] {
  let section: Section = { heading: '', items: [], paragraphs: [] }
  const sections = [section]
  let open: string[] | null = null
  for (const line of text.split(/\r?\n/)) {
    const heading = /^#{1,6}\s+(\S.*)$/.exec(line)?.[1]
    const item = /^\s*(?:[-*+]|\d+[.)])\s+(\S.*)$/.exec(line)?.[1]
    if (heading !== undefined) {
      section = { heading: heading.trim(), items: [], paragraphs: [] }
      sections.push(section)
      open = null
    } else if (item !== undefined) {
      open = section.items
      open.push(item.trim())
    } else if (line.trim() === '') {
      open = null
    } else if (open === null) {
      open = section.paragraphs
      open.push(line.trim())
    } else {
      open.push(`${open.pop()} ${line.trim()}`)
    }
  }
  return sections
}

/** A rule of thumb: a longer requirement hides more work. */
function workPackage(heading: string, requirements: readonly string[]): WorkPackage {
  const words = requirements.reduce((count, each) => count + each.split(/\s+/).length, 0)
  const build = halfDays(words / 8)
  return {
    name: heading === '' ? 'Requirements' : heading,
    requirements,
    effort: { design: halfDays(build * 0.25), build, test: halfDays(build * 0.35) },
  }
}

function halfDays(days: number): number {
  return Math.max(0.5, Math.round(days * 2) / 2)
}
