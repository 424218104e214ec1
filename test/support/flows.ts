/**
 * Creates flows of an account and follows their runs.
 *
 * @module
 */
import { type Answer, eventually } from "./client.ts"
import { mailOf } from "./mail.ts"
import type { ContactWritten, Page } from "./shapes.ts"
import type { TestAccount } from "./workspace.ts"

/** A flow. */
export interface Flow {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly version: number
  readonly trigger: object
  readonly stopEvents: ReadonlyArray<object>
  readonly steps: ReadonlyArray<object>
  readonly hasTriggerToken: boolean
}

/** A run. */
export interface FlowRun {
  readonly id: string
  readonly contactId: string
  readonly version: number
  readonly status: string
  readonly stepId: string | null
  readonly startedAt: string
  readonly endedAt: string | null
  readonly reason: string | null
  readonly nextAt: string | null
  readonly log: ReadonlyArray<{ readonly stepId: string; readonly at: string; readonly outcome: string }>
}

let count = 0

/** A name that no other test uses. */
export const uniqueName = (): string => `thing.n${++count}_${Math.random().toString(36).slice(2, 8)}`

/** An email step. */
export const emailStep = (id: string, values: object = {}) => ({
  id,
  kind: "SendEmail",
  purpose: "Transactional",
  subject: `Subject ${id}`,
  html: `<p>Body ${id}</p>`,
  ...values
})

/** Operations on an account's flows. */
export const flowsOf = (account: TestAccount) => {
  const mail = mailOf(account)
  const create = (write: object): Promise<Answer<Flow>> =>
    account.manage<Flow>("POST", "/flows", { name: "Flow", ...write })
  const publish = async (id: string) => (await account.manage<Flow>("POST", `/flows/${id}/publish`)).value
  /** Creates and publishes a flow that an event starts. */
  const start = async (name: string, steps: ReadonlyArray<object>, more: object = {}) => {
    const { id } = (await create({ trigger: { kind: "Event", name }, steps, ...more })).value
    return publish(id)
  }
  /** Reports an event about a person. */
  const report = async (name: string, contact: object, properties: object = {}, id = uniqueName()) => {
    const events = [{ id, name, contact, properties }]
    const answer = await account.api<{ accepted: number }>("POST", "/events", { events })
    if (answer.value.accepted !== 1) throw new Error(answer.text)
  }
  const person = async (values: object = {}) => {
    const email = `p${++count}-${Math.random().toString(36).slice(2)}@example.org`
    return (await account.api<ContactWritten>("POST", "/contacts", { email, ...values })).value.contact
  }
  const runs = async (id: string, query = "") =>
    (await account.manage<Page<FlowRun>>("GET", `/flows/${id}/runs?pageSize=200${query}`)).value.items
  /** The flow's runs, once they satisfy a condition. */
  const runsWhere = (id: string, satisfied: (runs: ReadonlyArray<FlowRun>) => boolean) =>
    eventually(() => runs(id), satisfied)
  /** The only run of a flow, once it has the status and, if given, is at the step. */
  const runIn = async (id: string, status: string, stepId?: string) => {
    const isIn = (run: FlowRun | undefined) =>
      run?.status === status && (stepId === undefined || run.stepId === stepId)
    const found = await runsWhere(id, ([run]) => isIn(run))
    if (found.length !== 1) throw new Error(`${found.length} runs`)
    if (!isIn(found[0])) throw new Error(`${found[0]?.status} at ${found[0]?.stepId}`)
    return found[0]!
  }
  const outcomes = (run: FlowRun) => run.log.map(({ outcome, stepId }) => `${stepId} ${outcome}`)
  /** The messages to a person, once there are `count`. */
  const mailTo = (email: string, expected: number) =>
    eventually(
      async () => (await mail.inbox()).filter((message) => message.to === email),
      (messages) => messages.length >= expected
    )
  return { create, publish, start, report, person, runs, runsWhere, runIn, outcomes, mailTo }
}
