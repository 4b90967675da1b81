import { daysOf, type ProposalContent } from './proposal-content.ts'

const ACCENT = '#1d4ed8'
const INK = '#111827'
const FAINT = '#6b7280'
const DAILY_RATE_EUR = 920
const DAYS_COLUMN = { width: 60, align: { x: 'right' } } as const

/** Writes the proposal as a PDF (A4), with the standard fonts of every PDF reader. */
export async function writeProposalPdf(content: ProposalContent, writtenAt: Date): Promise<Buffer> {
  // Loaded at its first use, so that the server starts sooner.
  const { default: PDFDocument } = await import('pdfkit')
  const pdf = new PDFDocument({
    size: 'A4',
    margins: { top: 64, bottom: 72, left: 64, right: 64 },
    bufferPages: true,
    info: { Title: printable(content.title), Author: 'Quick Quote (demo)', CreationDate: writtenAt },
  })
  const bytes = collect(pdf)
  writeTitle(pdf, content, writtenAt)
  writeRequirements(pdf, content)
  writeWorkBreakdown(pdf, content)
  writeEffort(pdf, content)
  writePageNumbers(pdf)
  pdf.end()
  return bytes
}

function collect(pdf: PDFKit.PDFDocument): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk))
    pdf.on('end', () => resolve(Buffer.concat(chunks)))
    pdf.on('error', reject)
  })
}

function writeTitle(
  pdf: PDFKit.PDFDocument,
  { title, packages, totalDays }: ProposalContent,
  at: Date,
): void {
  const count = packages.reduce((sum, each) => sum + each.requirements.length, 0)
  pdf.font('Helvetica').fontSize(10).fillColor(ACCENT).text('PROPOSAL', { characterSpacing: 2 })
  pdf.moveDown(0.4).font('Helvetica-Bold').fontSize(24).fillColor(INK).text(printable(title))
  pdf
    .moveDown(0.4)
    .font('Helvetica')
    .fontSize(10)
    .fillColor(FAINT)
    .text(`${at.toISOString().slice(0, 10)} · ${count} requirements · ${totalDays} person-days`)
  pdf.moveDown(1.2)
}

function writeRequirements(pdf: PDFKit.PDFDocument, { packages }: ProposalContent): void {
  writeHeading(pdf, '1  Requirements')
  packages.forEach((each, index) => {
    writeSubheading(pdf, `1.${index + 1}  ${each.name}`)
    pdf.font('Helvetica').fontSize(10).fillColor(INK)
    pdf.list(each.requirements.map(printable), { bulletRadius: 1.5, textIndent: 12, lineGap: 2 })
    pdf.moveDown(0.8)
  })
}

function writeWorkBreakdown(pdf: PDFKit.PDFDocument, { packages }: ProposalContent): void {
  writeHeading(pdf, '2  Work breakdown')
  packages.forEach((each, index) => {
    const number = `2.${index + 1}`
    const { design, build, test } = each.effort
    writeSubheading(pdf, `${number}  ${each.name}`)
    pdf.font('Helvetica').fontSize(10).fillColor(INK)
    pdf.text(`${number}.1  Design, with a walk-through: ${design} days`, { lineGap: 2 })
    pdf.text(`${number}.2  Build of ${each.requirements.length} requirements: ${build} days`, { lineGap: 2 })
    pdf.text(`${number}.3  Test and acceptance: ${test} days`, { lineGap: 2 })
    pdf.moveDown(0.8)
  })
}

function writeEffort(pdf: PDFKit.PDFDocument, { packages, totalDays }: ProposalContent): void {
  writeHeading(pdf, '3  Effort in person-days')
  const rows = packages.map((each) => [
    printable(each.name),
    ...[each.effort.design, each.effort.build, each.effort.test, daysOf(each)].map(String),
  ])
  pdf.font('Helvetica').fontSize(10).fillColor(INK)
  pdf.table({
    columnStyles: ['*', DAYS_COLUMN, DAYS_COLUMN, DAYS_COLUMN, DAYS_COLUMN],
    rowStyles: (row) => (row === 0 ? { textColor: FAINT } : {}),
    defaultStyle: { border: [0, 0, 0.5, 0], borderColor: '#d1d5db', padding: 5 },
    data: [['Work package', 'Design', 'Build', 'Test', 'Total'], ...rows],
  })
  const price = (totalDays * DAILY_RATE_EUR).toLocaleString('en')
  pdf.moveDown(1)
  pdf
    .font('Helvetica-Bold')
    .fontSize(12)
    .text(
      `Total: ${totalDays} person-days, EUR ${price} at EUR ${DAILY_RATE_EUR} a day`,
      pdf.page.margins.left,
    )
  pdf
    .moveDown(0.4)
    .font('Helvetica')
    .fontSize(9)
    .fillColor(FAINT)
    .text('Written by the simulated pipeline of the example: the figures are a rule of thumb, not an offer.')
}

function writeHeading(pdf: PDFKit.PDFDocument, text: string): void {
  keepTogether(pdf, 110)
  pdf.moveDown(0.5).font('Helvetica-Bold').fontSize(15).fillColor(ACCENT).text(text).moveDown(0.5)
}

function writeSubheading(pdf: PDFKit.PDFDocument, text: string): void {
  keepTogether(pdf, 70)
  pdf.font('Helvetica-Bold').fontSize(11).fillColor(INK).text(printable(text)).moveDown(0.3)
}

/** Keeps a heading with its text. */
function keepTogether(pdf: PDFKit.PDFDocument, height: number): void {
  if (pdf.y + height > pdf.page.height - pdf.page.margins.bottom) pdf.addPage()
}

function writePageNumbers(pdf: PDFKit.PDFDocument): void {
  const { count } = pdf.bufferedPageRange()
  for (let page = 0; page < count; page++) {
    pdf.switchToPage(page)
    // Below the margin: otherwise writing here would begin a new page.
    pdf.page.margins.bottom = 0
    pdf.font('Helvetica').fontSize(8).fillColor(FAINT)
    pdf.text(`${page + 1} / ${count}`, 64, pdf.page.height - 40, {
      width: pdf.page.width - 128,
      align: 'right',
    })
  }
}

/** The standard fonts only have Western European letters: others become a question mark. */
function printable(text: string): string {
  return text.normalize('NFC').replace(/[^\x20-\x7e\xa0-\xff–—‘’‚“”„•…‹›€™]/gu, '?')
}
