/**
 * The words of a segment's sentence in the reader's language.
 *
 * @module
 */
import { useMemo } from "react"
import { useReader } from "../../../app/reader.tsx"
import type { FieldChoice, Words } from "../../../lib/segment.ts"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"

/** The words. */
export const useWords = (): Words => {
  const { format } = useReader()
  const { segment: texts } = useEditorTexts()
  return useMemo(() => {
    const either = new Intl.ListFormat(format.locale, { type: "disjunction" })
    return {
      everybody: texts.everybody,
      sentence: texts.sentence,
      nameOf: ({ key, label }: FieldChoice) => {
        const name = label ?? texts.fields[key] ?? key
        return key.startsWith("topics.") ? texts.topic(name) : name
      },
      event: texts.event,
      operators: texts.operators,
      quoted: texts.quoted,
      either: (names) => either.format(names),
      number: format.number,
      between: texts.between,
      days: (count) => texts.inDays(format.number(count), count),
      times: (count, days) => texts.times(format.number(count), format.number(days), count === 1),
      blank: "…"
    }
  }, [format, texts])
}
