/**
 * Reads the calls of an OpenAPI document, and builds a request from the parameters entered.
 *
 * @module
 */

/** A parameter of a call. */
export interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly isRequired: boolean
  readonly description: string
}

/** A call of the API. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly parameters: ReadonlyArray<Parameter>
  /** An example of the body; null if the call takes none. */
  readonly body: string | null
}

type Part = Readonly<Record<string, unknown>>

const isPart = (value: unknown): value is Part =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const partOf = (value: unknown, ...names: ReadonlyArray<string>): Part =>
  names.reduce<Part>((part, name) => (isPart(part[name]) ? part[name] : {}), isPart(value) ? value : {})

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const methods = ["get", "post", "put", "patch", "delete"]

/** The target of a `$ref` within the document, such as `#/components/parameters/limit`; any other value is returned unchanged. */
const resolved = (document: unknown, value: unknown): Part => {
  const [start, ...names] = textOf(partOf(value)["$ref"]).split("/")
  return start === "#" ? partOf(document, ...names) : partOf(value)
}

const parametersOf = (document: unknown, list: unknown): ReadonlyArray<Parameter> =>
  (Array.isArray(list) ? (list as ReadonlyArray<unknown>) : []).flatMap((entry) => {
    const { description, in: place, name, required } = resolved(document, entry)
    return place === "path" || place === "query"
      ? [
          {
            name: textOf(name),
            in: place,
            isRequired: required === true,
            description: textOf(description)
          }
        ]
      : []
  })

const bodyOf = (document: unknown, requestBody: unknown): string | null => {
  const media = partOf(resolved(document, requestBody), "content", "application/json")
  if (Object.keys(media).length === 0) return null
  const [first] = Object.values(partOf(media, "examples"))
  const example = media["example"] ?? partOf(resolved(document, first))["value"] ?? {}
  return JSON.stringify(example, null, 2)
}

/** The calls whose paths begin with `below`, in the order of the document. */
export const operationsOf = (document: unknown, below: string): ReadonlyArray<Operation> =>
  Object.entries(partOf(document, "paths")).flatMap(([path, entry]) =>
    path.startsWith(below)
      ? methods.flatMap((method) => {
          if (!isPart(partOf(entry)[method])) return []
          const { description, parameters, requestBody, summary } = partOf(entry, method)
          const shared = partOf(entry)["parameters"]
          return [
            {
              method: method.toUpperCase(),
              path,
              summary: textOf(summary) || (textOf(description).split("\n")[0] ?? ""),
              parameters: [...parametersOf(document, shared), ...parametersOf(document, parameters)],
              body: bodyOf(document, requestBody)
            }
          ]
        })
      : []
  )

/** The URL of a call with the parameters entered. Empty query parameters are left out. */
export const addressOf = (
  { parameters, path }: Operation,
  values: Readonly<Record<string, string>>
): string => {
  const place = path.replace(/\{([^{}]+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""))
  const query = new URLSearchParams(
    parameters.flatMap(({ in: where, name }) => {
      const value = (values[name] ?? "").trim()
      return where === "query" && value !== "" ? [[name, value]] : []
    })
  ).toString()
  return query === "" ? place : `${place}?${query}`
}
