/** An event type or an id: on a narrow screen it breaks after a dot or an underscore, not in the middle of a word. */
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
