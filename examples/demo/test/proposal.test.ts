import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daysOf, proposalContentOf } from '../src/proposal-content.ts'
import { writeProposalPdf } from '../src/proposal-document.ts'

describe('the content of a proposal', () => {
  it('is the title, a work package for each heading with a list, and a requirement for each item', () => {
    const content = proposalContentOf(
      '# Shop\n\nIntro.\n\n## Cart\n- Add\n  items\n* Remove\n\n## Pay\n1. By card\n',
      'x',
    )
    expect(content.title).toBe('Shop')
    expect(content.packages.map(({ name, requirements }) => ({ name, requirements }))).toEqual([
      { name: 'Cart', requirements: ['Add items', 'Remove'] },
      { name: 'Pay', requirements: ['By card'] },
    ])
  })

  it('takes each paragraph as a requirement if there is no list, and the name if there is no heading', () => {
    const content = proposalContentOf('It sells tea\nand coffee.\r\n\r\nIt ships.', 'Tea shop')
    expect(content.title).toBe('Tea shop')
    expect(content.packages.map((each) => each.requirements)).toEqual([
      ['It sells tea and coffee.', 'It ships.'],
    ])
  })

  it('sums up the effort', async () => {
    const text = await readFile(join(import.meta.dirname, '../requirements/customer-portal.md'), 'utf8')
    const { packages, totalDays } = proposalContentOf(text, 'x')
    expect(packages).toHaveLength(7)
    expect(packages.reduce((sum, each) => sum + daysOf(each), 0)).toBe(totalDays)
    expect(totalDays).toBeGreaterThan(50)
  })
})

describe('the proposal document', () => {
  it.each([
    ['an empty text', ''],
    ['letters missing in the fonts', '# 見積\n- Größe → 10 €\n- 要件'],
    ['a word longer than a line', `- ${'x'.repeat(2000)}`],
    ['many requirements', '- Something that takes a line of its own\n'.repeat(500)],
  ])('is a PDF for %s', async (_, text) => {
    const pdf = await writeProposalPdf(proposalContentOf(text, 'Quote'), new Date(0))
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect(pdf.subarray(-6).toString().trim()).toBe('%%EOF')
  })
})
