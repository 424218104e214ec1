/**
 * Says in words what an entry of the audit log is about.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

/** The words of actions. */
export interface ActionWords {
  /** By the first part of an action. */
  readonly things: Names
  /** By its second part. */
  readonly done: Names
  /** Of whole actions, which come first. */
  readonly whole: Names
}

/** What an entry is about. */
interface AuditEntry {
  readonly actor: { readonly id: string | null; readonly name: string | null }
  readonly target: { readonly kind: string; readonly id: string; readonly name: string | null }
  readonly before: unknown
  readonly after: unknown
}

/** The fields that name a thing, the best first. */
const naming = ["name", "email", "domain", "address", "host", "subject", "key"] as const

const nameIn = (value: unknown): string | null => {
  if (typeof value !== "object" || value === null) return null
  const fields = value as Readonly<Record<string, unknown>>
  const found = naming.map((key) => fields[key]).find((one) => typeof one === "string" && one !== "")
  return typeof found === "string" ? found : null
}

const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The name of what an entry is about, as it is known from the entry; null where there is only an id of the service. */
export const targetName = ({ actor, after, before, target }: AuditEntry): string | null =>
  target.name ??
  (target.id === actor.id ? actor.name : null) ??
  nameIn(after) ??
  nameIn(before) ??
  (isId.test(target.id) ? null : target.id)

/** The kinds that the screens show, by the kinds of targets. */
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

/** Which thing an entry is about, for a link to it; null where no screen shows one of that kind by its id. */
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

/** The end of an id, which tells things of one kind apart: it begins with the time. */
export const shortId = (id: string): string => (isId.test(id) ? `…${id.slice(-6)}` : id)

/** The sentence of an action such as `template.deleted`; one that has none, of a newer service, is shown as it is. */
export const actionName = (action: string, { done, things, whole }: ActionWords): string => {
  const [thing = "", verb = ""] = action.split(".")
  const [noun, participle] = [things[thing], done[verb]]
  return whole[action] ?? (noun === undefined || participle === undefined ? action : `${noun} ${participle}`)
}
