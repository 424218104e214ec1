/**
 * Summarises each step of a flow in one line, in the reader's language.
 *
 * @module
 */
import { useMemo } from "react"
import { useExtra } from "../../../api/queries.ts"
import { useFormat } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { amountOf, localOf, pathsOf, placesOf, type Step, stepNames } from "../../../lib/flow.ts"
import { clauseOf, type Definition, type Parts } from "../../../lib/segment.ts"
import { useEditorTexts } from "../../../texts/editors/useEditorTexts.ts"
import { useWords } from "../../people/segments/useWords.ts"

/**
 * The parts with all fields for properties of events. A property takes any operator that is not about events, and those that
 * compare strings also compare numbers.
 */
export const withProperties = ({ fields, operators }: Parts): Parts => {
  const open = Object.entries(operators).flatMap(([kind, of]) => (kind === "Events" ? [] : of))
  const known = new Map([...open, ...(operators["Text"] ?? [])].map((one) => [one.operator, one]))
  return {
    fields,
    operators: { ...operators, Open: [...known.values()] },
    free: { prefix: "event.", kind: "Open" }
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const said = (parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").join(" · ")

/** The summary of each step, by its id. `parts` are those of rules; undefined while they are read. */
export const useDetails = (
  steps: ReadonlyArray<Step>,
  parts: Parts | undefined
): ReadonlyMap<string, string> => {
  const { can, id: accountId } = useAccount()
  const { flow: texts } = useEditorTexts()
  const format = useFormat()
  const words = useWords()
  const list = useExtra(
    "GET /accounts/:accountId/templates",
    { params: { accountId }, query: { limit: 200 } },
    { enabled: can("templates:read") }
  )
  return useMemo(() => {
    const templates = new Map((list?.items ?? []).map(({ id, name }) => [id, name]))
    const duration = (value: unknown): string => {
      const found = amountOf(value)
      return found === null
        ? textOf(value)
        : texts.lasting(format.number(found.amount), found.amount, found.unit)
    }
    const rules = (value: unknown): string => {
      const definition = value as Definition | null | undefined
      if (definition == null || parts === undefined) return ""
      const clauses = definition.rules.map((rule) => clauseOf(rule, parts, words))
      return clauses.join(definition.join === "Any" ? texts.or : texts.and)
    }
    const lineOf = (step: Step): string => {
      switch (step.kind) {
        case "SendEmail": {
          const id = textOf(step["templateId"])
          return id === "" ? textOf(step["subject"]) : (templates.get(id) ?? "")
        }
        case "Wait":
          return duration(step["duration"])
        case "WaitUntil":
          return step["at"] === null || step["at"] === undefined
            ? said([textOf(step["time"]), textOf(step["timeZone"])])
            : localOf(textOf(step["at"])) === ""
              ? ""
              : format.exact(new Date(textOf(step["at"])))
        case "WaitForEvent":
          return said([textOf(step["name"]), rules(step["filter"]), texts.atMost(duration(step["timeout"]))])
        case "Branch":
          return rules(step["condition"])
        case "Split":
          return pathsOf(step)
            .map(({ weight }) => format.number(weight))
            .join(" : ")
        case "UpdateContact": {
          const { add = [], remove = [] } = (step["tags"] ?? {}) as Readonly<
            Record<string, ReadonlyArray<string> | undefined>
          >
          return said([
            ...add.map((tag) => `+ ${tag}`),
            ...remove.map((tag) => `− ${tag}`),
            ...Object.keys((step["attributes"] ?? {}) as object),
            ...Object.keys((step["topics"] ?? {}) as object)
          ])
        }
        case "Webhook":
          return textOf(step["url"])
        default:
          return ""
      }
    }
    return new Map(placesOf(steps).map(([, step]) => [step.id, lineOf(step).slice(0, 120)]))
  }, [format, list, parts, steps, texts, words])
}

/** The details of each step of a read-only flow, by id. */
export const useShownDetails = (steps: ReadonlyArray<Step>): ReadonlyMap<string, string> => {
  const { can, id: accountId } = useAccount()
  const parts = useExtra(
    "GET /accounts/:accountId/segments/fields",
    { params: { accountId } },
    { enabled: can("segments:read") }
  )
  const known = useMemo(() => (parts === undefined ? undefined : withProperties(parts)), [parts])
  return useDetails(steps, known)
}

/** The names of the steps of a read-only flow, by id. */
export const useStepNames = (steps: ReadonlyArray<unknown>): ReadonlyMap<string, string> => {
  const { flow: texts } = useEditorTexts()
  const named = steps as ReadonlyArray<Step>
  return stepNames(named, texts.kinds, useShownDetails(named))
}
