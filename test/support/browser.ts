/**
 * A user's browser: it keeps cookies, and sends the headers that browsers send from a page of the service.
 *
 * @module
 */
import { type Answer, call, type Sent } from "./client.ts"
import type { Target } from "./targets.ts"
import { manage } from "./workspace.ts"

/** A password that is hard enough to guess. */
export const goodPassword = "tundra-ochre-vivid-47-lantern"

/** A browser. */
export interface Browser {
  /** Its cookies, by name. */
  readonly cookies: Map<string, string>
  /** The latest values of Set-Cookie. */
  readonly set: () => ReadonlyArray<string>
  /** Calls a management route; the path is relative to `/manage/v1`. */
  readonly send: <Value = unknown>(
    method: string,
    path: string,
    json?: unknown,
    sent?: Sent
  ) => Promise<Answer<Value>>
}

/** Opens a browser without cookies. */
export const openBrowser = (target: Target, headers: Readonly<Record<string, string>> = {}): Browser => {
  const cookies = new Map<string, string>()
  let set: ReadonlyArray<string> = []
  return {
    cookies,
    set: () => set,
    send: async <Value>(method: string, path: string, json?: unknown, sent: Sent = {}) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
      const answer = await call<Value>(target, method, `/manage/v1${path}`, {
        ...(json === undefined ? {} : { json }),
        ...sent,
        headers: {
          ...(cookie === "" ? {} : { cookie }),
          ...(method === "GET"
            ? {}
            : { origin: target.baseUrl, "sec-fetch-site": "same-origin", "x-svc-request": "1" }),
          ...headers,
          ...sent.headers
        }
      })
      set = answer.headers.getSetCookie()
      for (const one of set) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(one) ?? []
        if (value === "" || /max-age=0/i.test(one)) cookies.delete(name)
        else cookies.set(name, value)
      }
      return answer
    }
  }
}

/** The token of a set-up link. */
export const tokenOf = (link: string): string => link.slice(link.indexOf("#") + 1)

/** A member of a company as the management API shows it. */
export interface MemberValue {
  readonly userId: string
  readonly email: string
  readonly role: string
  readonly status: string
  readonly link: string | null
}

/** Adds a person to a company with the management token. */
export const invite = async (
  target: Target,
  companyId: string,
  email: string,
  role = "Owner"
): Promise<MemberValue> =>
  (await manage<MemberValue>(target, "POST", `/companies/${companyId}/members`, { json: { email, role } }))
    .value

/** Adds a person to a company, and completes the set-up link in a new browser. */
export const joinCompany = async (target: Target, companyId: string, email: string, role = "Owner") => {
  const { link, userId } = await invite(target, companyId, email, role)
  const browser = openBrowser(target)
  const answer = await browser.send("POST", "/welcome/complete", {
    token: tokenOf(link!),
    name: "Ada Lovelace",
    password: goodPassword
  })
  if (answer.status !== 200) throw new Error(`Joining returned ${answer.status}: ${answer.text}`)
  return { browser, userId }
}
