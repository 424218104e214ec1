/**
 * Bodies that cost much to read if nothing bounds the work, and the largest valid ones. Each is made when it is needed,
 * since most have tens of megabytes.
 *
 * @module
 */

/** A body of a route. */
export interface LargeBody {
  readonly name: string
  /** The public API, or the management API of the account. */
  readonly door: "api" | "manage"
  readonly path: string
  readonly make: () => string
  readonly status: number
  /** A code that the reply names; null where it names none. */
  readonly code: string | null
}

const list = (count: number, entry: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => entry(index)).join()

const repeated = (count: number, entry: string): string => `${entry}${`,${entry}`.repeat(count - 1)}`

/** A contact with so many attributes of a value. */
const contact = (index: number, attributes: number, value: (attribute: number) => string): string =>
  `{"email":"p${index}@large.example","attributes":{${list(attributes, (each) => `"a${each}":${value(each)}`)}}}`

const text = JSON.stringify("é".repeat(140))

/** Bodies that are refused after little work. */
export const hostileBodies: ReadonlyArray<LargeBody> = [
  {
    name: "a thousand contacts of three thousand unknown attributes",
    door: "api",
    path: "/contacts/batch",
    make: () => `{"contacts":[${list(1000, (index) => contact(index, 3000, () => "1"))}]}`,
    status: 400,
    code: "common.body_too_complex"
  },
  {
    name: "eleven million empty contacts",
    door: "api",
    path: "/contacts/batch",
    make: () => `{"contacts":[${repeated(11_000_000, "{}")}]}`,
    status: 400,
    code: "audience.batch_too_large"
  },
  {
    name: "eleven million empty objects beside the list",
    door: "api",
    path: "/items/batch",
    make: () => `{"items":[],"x":[${repeated(11_000_000, "{}")}]}`,
    status: 400,
    code: "common.body_too_complex"
  },
  {
    name: "three million recipients without an address",
    door: "api",
    path: "/sending/emails",
    make: () => `{"to":"a@large.example","subject":"s","text":"t","bcc":[${repeated(3_300_000, "{}")}]}`,
    status: 400,
    code: "common.body_too_complex"
  },
  {
    name: "properties of five million numbers",
    door: "api",
    path: "/events",
    make: () =>
      `{"events":[{"id":"a","name":"a","contact":{"email":"a@large.example"},"properties":{"a":[${repeated(5_000_000, "1")}]}}]}`,
    status: 200,
    code: "common.body_too_complex"
  },
  {
    name: "a rule of five million values",
    door: "manage",
    path: "/segments",
    make: () =>
      `{"name":"s","definition":{"join":"All","rules":[{"fieldKey":"city","operator":"In","value":[${repeated(5_000_000, "1")}]}]}}`,
    status: 400,
    code: "common.body_too_complex"
  },
  {
    name: "three million steps",
    door: "manage",
    path: "/flows",
    make: () => `{"name":"f","trigger":{"kind":"Api"},"steps":[${repeated(3_300_000, "{}")}]}`,
    status: 400,
    code: "common.body_too_complex"
  }
]

/** Bodies within every bound that break as many rules as they can. */
export const brokenBodies: ReadonlyArray<LargeBody> = [
  {
    name: "a hundred and sixty contacts of three thousand unknown attributes",
    door: "api",
    path: "/contacts/batch",
    make: () => `{"contacts":[${list(160, (index) => contact(index, 3000, () => "1"))}]}`,
    status: 200,
    code: "audience.attribute_unknown"
  },
  {
    name: "a thousand contacts with lists of attributes that are too long",
    door: "api",
    path: "/contacts/batch",
    make: () =>
      `{"contacts":[${list(1000, (index) => contact(index, 1, () => `[${repeated(6000, '"ab"')}]`))}]}`,
    status: 200,
    code: "audience.attribute_unknown"
  },
  {
    name: "a hundred thousand recipients without an address",
    door: "api",
    path: "/sending/emails",
    make: () => `{"to":"a@large.example","subject":"s","text":"t","bcc":[${repeated(99_000, "{}")}]}`,
    status: 400,
    code: null
  },
  {
    name: "a thousand items without anything right",
    door: "api",
    path: "/items/batch",
    make: () =>
      `{"items":[${list(1000, () => `{"id":1,"categories":[${repeated(15_000, "1")}],"inStock":"yes"}`)}]}`,
    status: 200,
    code: "validation.type"
  },
  {
    name: "a rule of two hundred thousand values",
    door: "manage",
    path: "/segments",
    make: () =>
      `{"name":"s","definition":{"join":"All","rules":[{"fieldKey":"city","operator":"In","value":[${repeated(200_000, '"ab"')}]}]}}`,
    status: 400,
    code: "segments.value_invalid"
  },
  {
    name: "ninety thousand steps",
    door: "manage",
    path: "/flows",
    make: () => `{"name":"f","trigger":{"kind":"Api"},"steps":[${repeated(90_000, "{}")}]}`,
    status: 400,
    code: "automation.too_many_steps"
  }
]

/** The largest bodies that are valid. */
export const largestBodies: ReadonlyArray<LargeBody> = [
  {
    name: "a thousand contacts of a hundred attributes, 32 MB",
    door: "api",
    path: "/contacts/batch",
    make: () => `{"contacts":[${list(1000, (index) => contact(index, 100, () => text))}]}`,
    status: 200,
    code: null
  },
  {
    name: "a thousand items of a hundred attributes, 32 MB",
    door: "api",
    path: "/items/batch",
    make: () =>
      `{"items":[${list(1000, (index) => `{"id":"i${index}","name":"n","attributes":{${list(100, (each) => `"a${each}":${text}`)}}}`)}]}`,
    status: 200,
    code: null
  },
  {
    name: "a hundred events of 16 KB",
    door: "api",
    path: "/events",
    make: () =>
      `{"events":[${list(100, (index) => `{"id":"e${index}","name":"a","contact":{"email":"e${index}@large.example"},"properties":{${list(2000, (each) => `"${each.toString(36)}":1`)}}}`)}]}`,
    status: 200,
    code: null
  }
]
