/**
 * The words of a segment's sentence in the reader's language.
 *
 * @module
 */
import { useMemo } from "react"
import { useReader } from "../../../app/reader.tsx"
import type { FieldChoice, Words } from "../../../lib/segment.ts"
import { nameIn } from "../../../lib/choices.ts"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import { useCampaigns } from "./Completions.tsx"

/** The words. */
export const useWords = (): Words => {
  const { format, texts: common } = useReader()
  const { segment: texts } = useEditorTexts()
  const campaigns = useCampaigns()
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
      campaign: (id) => texts.campaign(campaigns.find((one) => one.id === id)?.name ?? id),
      operators: texts.operators,
      quoted: texts.quoted,
      chosen: (choice, value) =>
        choice === "Consent"
          ? (common.people.consents[value as keyof typeof common.people.consents] ?? null)
          : nameIn(format.locale, choice === "Country" ? "region" : "language", value),
      date: format.date,
      either: (names) => either.format(names),
      number: format.number,
      between: texts.between,
      days: (count) => texts.inDays(format.number(count), count),
      times: (count, days) => texts.times(format.number(count), format.number(days), count === 1),
      blank: "…"
    }
  }, [common, format, texts, campaigns])
}
