/**
 * The signed-in user, the current account, and what the user may do in it. The dashboard only hides what a role lacks; the
 * service enforces it.
 *
 * @module
 */
import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useMemo } from "react"
import type { ValueOf } from "../api/call.ts"
import { read } from "../api/queries.ts"
import type { Right } from "../lib/rights.ts"
import { companies } from "./companies.ts"
import { lastAccount } from "./preferences.ts"

/** The user's session. */
export type Session = ValueOf<"GET /session">

/** A company of the user. */
export type Company = ValueOf<"GET /companies">["items"][number]

/** The session of the signed-in user. Only for screens that require a session. */
export const useSession = (): Session => {
  const { data } = useQuery(read("GET /session", {}))
  if (data === undefined) throw new Error("No session was read.")
  return data
}

/** The companies of the user. */
export const useCompanies = (): ReadonlyArray<Company> => {
  // A session that lacks its second factor may not read the companies.
  const { needs } = useSession()
  return useQuery({ ...companies, enabled: needs === null }).data?.items ?? none
}

const none: ReadonlyArray<Company> = []

/** The current account. */
export interface ShownAccount {
  readonly id: string
  readonly mode: "live" | "sandbox"
  readonly company: Company
  /** Whether the user has a right in this account. */
  readonly can: (right: Right) => boolean
  /** Whether the user has a right in the company itself, whichever of its accounts is current. */
  readonly canInCompany: (right: Right) => boolean
}

/** Whether a user has a right in an account of a company. Operators have all rights. */
export const hasRight = (
  { memberships, operator }: Session,
  companyId: string,
  mode: ShownAccount["mode"],
  right: Right
): boolean => {
  const membership = memberships.find(({ company }) => company.id === companyId)
  return operator || membership?.rights[mode].includes(right) === true
}

/**
 * Whether a user has a right in a company itself. A Developer has more rights in the sandbox than in the company. Without access
 * to the live account, the session does not say which ones the company grants, so only reading is assumed.
 */
const hasCompanyRight = ({ memberships, operator }: Session, companyId: string, right: Right): boolean => {
  if (operator) return true
  const membership = memberships.find(({ company }) => company.id === companyId)
  if (membership === undefined) return false
  const { live, sandbox } = membership.rights
  if (membership.role !== "Developer") return sandbox.includes(right)
  return live.length > 0 ? live.includes(right) : right.endsWith(":read") && sandbox.includes(right)
}

/** The account named by the URL; null on screens outside an account. */
export const useAccountOrNone = (): ShownAccount | null =>
  useAccountOf(useParams({ strict: false }).accountId)

/**
 * The account that the navigation leads to: the current one, or the one shown last, or the first. Outside an account, the user's
 * live account is chosen only if they have access to it.
 */
export const useNavigationAccount = (): ShownAccount | null => {
  const { accountId } = useParams({ strict: false })
  const [first] = useCompanies()
  const last = useAccountOf(lastAccount() ?? undefined)
  const live = useAccountOf(first?.live.accountId)
  const sandbox = useAccountOf(first?.sandbox.accountId)
  const shown = useAccountOf(accountId)
  return accountId === undefined
    ? ([last, live].find((one) => one?.can("company:read") === true) ?? sandbox)
    : shown
}

/** An account as the user may see it; null if no company of the user has it. */
export const accountOf = (
  session: Session,
  all: ReadonlyArray<Company>,
  accountId: string | undefined
): ShownAccount | null => {
  const company = all.find(({ live, sandbox }) =>
    [live.accountId, sandbox.accountId].includes(accountId ?? "")
  )
  if (accountId === undefined || company === undefined) return null
  const mode = company.live.accountId === accountId ? "live" : "sandbox"
  return {
    id: accountId,
    mode,
    company,
    can: (right) => hasRight(session, company.id, mode, right),
    canInCompany: (right) => hasCompanyRight(session, company.id, right)
  }
}

const useAccountOf = (accountId: string | undefined): ShownAccount | null => {
  const session = useSession()
  const all = useCompanies()
  return useMemo(() => accountOf(session, all, accountId), [accountId, all, session])
}

/** The account named by the URL, for screens of an account. */
export const useAccount = (): ShownAccount => {
  const account = useAccountOrNone()
  if (account === null) throw new Error("The screen is of no account.")
  return account
}
