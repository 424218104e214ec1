/**
 * Describes entries of the audit log in words.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

/** The words for actions such as `template.deleted`. */
export interface ActionWords {
  /** Words for the first part of an action. */
  readonly things: Names
  /** Words for the second part. */
  readonly done: Names
  /** Words for whole actions, which take precedence. */
  readonly whole: Names
}

/** The part of an audit entry that is used here. */
interface AuditEntry {
  readonly actor: { readonly id: string | null; readonly name: string | null }
  readonly target: { readonly kind: string; readonly id: string; readonly name: string | null }
  readonly before: unknown
  readonly after: unknown
}

/** Fields whose value names a thing, the best first. */
const naming = ["name", "email", "domain", "address", "host", "subject", "key"] as const

const nameIn = (value: unknown): string | null => {
  if (typeof value !== "object" || value === null) return null
  const fields = value as Readonly<Record<string, unknown>>
  const found = naming.map((key) => fields[key]).find((one) => typeof one === "string" && one !== "")
  return typeof found === "string" ? found : null
}

const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The name of an entry's target, as far as the entry contains it; null if it contains only an internal id. */
export const targetName = ({ actor, after, before, target }: AuditEntry): string | null =>
  target.name ??
  (target.id === actor.id ? actor.name : null) ??
  nameIn(after) ??
  nameIn(before) ??
  (isId.test(target.id) ? null : target.id)

/** The kinds of things for which there are screens, by the kind of target. */
const shownKinds = {
  api_key: "ApiKey",
  campaign: "Campaign",
  contact: "Contact",
  domain: "Domain",
  email: "Email",
  flow: "Flow",
  import: "Import",
  job: "Job",
  segment: "Segment",
  template: "Template",
  webhook: "Webhook"
} as const

/** The target of an entry, for a link to it; null if no screen shows that kind of thing by its id. */
export const shownTarget = ({
  id,
  kind
}: Pick<AuditEntry["target"], "id" | "kind">): {
  readonly kind: (typeof shownKinds)[keyof typeof shownKinds]
  readonly id: string
} | null => {
  const shown = Object.entries(shownKinds).find(([one]) => one === kind)
  return shown === undefined || !isId.test(id) ? null : { kind: shown[1], id }
}

/** The end of an id. An id begins with the time, so only its end distinguishes things of one kind. */
export const shortId = (id: string): string => (isId.test(id) ? `…${id.slice(-6)}` : id)

/** The words for an action such as `template.deleted`. An unknown action of a newer service is returned unchanged. */
export const actionName = (action: string, { done, things, whole }: ActionWords): string => {
  const [thing = "", verb = ""] = action.split(".")
  const [noun, participle] = [things[thing], done[verb]]
  return whole[action] ?? (noun === undefined || participle === undefined ? action : `${noun} ${participle}`)
}
