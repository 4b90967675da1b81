/** An event type or an id that wraps after dots and underscores. */
export function Breakable({ text }: { text: string }) {
  return (
    <>
      {text.split(/(?<=[._/])/).map((part, index) => (
        <span key={index}>
          {part}
          <wbr />
        </span>
      ))}
    </>
  )
}
