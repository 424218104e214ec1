/**
 * Pure functions that find what readers of content miss or mistrust in it. Checks of templates and of campaigns share them.
 *
 * @module
 */
import type { TemplateValues } from "../../ports/TemplateEngine.ts"
import type { Json } from "../../shared/Json.ts"

/** The number of images in HTML that have no alternative text, not even an empty one. */
export const imagesWithoutText = (html: string): number =>
  (html.match(/<img\b[^<>]*>/gi) ?? []).filter((image) => !/\salt\s*=/i.test(image)).length

/** Whether few people can follow a link: it is unencrypted, leads to the author's own machine, or is incomplete. */
export const isQuestionable = (url: string): boolean =>
  /^http:/i.test(url) ||
  /^https:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/?#]|$)/i.test(url) ||
  /%7B%7B/i.test(url)

/** An output of a template. Longer ones than this are not read. */
const outputs = /\{\{([^{}]{1,500})\}\}/g
const conditions = /\{%-?[ \t]{0,20}(?:if|elsif|unless|case)[ \t]([^{}]{1,500})%\}/g

const isPath = (text: string): boolean => /^(?:contact|event)(?:\.\w+)+$/.test(text)

/** The value at a path, such as `contact.attributes.plan`. */
const valueAt = (values: TemplateValues, path: string): Json | undefined =>
  path.split(".").reduce<Json | undefined>((value, name) => {
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value)
    return isRecord && Object.hasOwn(value, name) ? (value as TemplateValues)[name] : undefined
  }, values)

/**
 * The contact fields and event properties that a template outputs and that have no value, each once. Those with a default, or
 * in a condition, are left out.
 *
 * @param values if they have no contact or no event, its fields are unknown, and none of them counts as missing
 */
export const missingValues = (template: string, values: TemplateValues): ReadonlyArray<string> => {
  const guards = [...template.matchAll(conditions)].map(([, condition = ""]) => condition)
  const named = [...template.matchAll(outputs)].flatMap(([, output = ""]) => {
    const [path = "", ...filters] = output.split("|").map((part) => part.replaceAll("-", " ").trim())
    const hasDefault = filters.some((filter) => filter.startsWith("default"))
    return isPath(path) && !hasDefault && !guards.some((guard) => guard.includes(path)) ? [path] : []
  })
  return [...new Set(named)].filter((path) => {
    const [root = ""] = path.split(".")
    if (!Object.hasOwn(values, root)) return false
    const value = valueAt(values, path)
    return value === undefined || value === null || value === ""
  })
}
