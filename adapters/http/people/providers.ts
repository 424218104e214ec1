/**
 * Handles the endpoints of OpenID Connect providers, and those with which users sign in at a provider.
 *
 * @module
 */
import { Effect } from "effect"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import type { IdentityProvider } from "../../../core/model/IdentityProvider.ts"
import { Problem, type Unavailable } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import type { Caller as Manager } from "../../../core/users/Caller.ts"
import { Providers } from "../../../core/users/providers/Providers.ts"
import { AnonymousCalls } from "../../../core/users/signin/AnonymousCalls.ts"
import { ProviderSignIn } from "../../../core/users/signin/ProviderSignIn.ts"
import { browserOf, SessionCookies } from "../edge/cookies.ts"
import { listed } from "../edge/lists.ts"
import { managerOf } from "../edge/permit.ts"
import { created, type HandlerReply, ok } from "../edge/reply.ts"
import { bind, type Call } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

/** A provider can add users, so tokens of a company may not change one: only Owners, operators and the management token may. */
const mayWrite = (manager: Manager, companyId: string | null): boolean =>
  manager._tag === "Management" ||
  (manager._tag === "Session" &&
    (manager.user.isOperator ||
      manager.user.memberships.some(
        (membership) => membership.companyId === companyId && membership.role === "Owner"
      )))

const refuseOthers = (manager: Manager, companyId: string | null): Effect.Effect<void, Problem> =>
  mayWrite(manager, companyId)
    ? Effect.void
    : Effect.fail(
        Problem.of("users.right_missing", null, null, {
          right: companyId === null ? "users:operate" : "members:write"
        })
      )

const makeRoutes = Effect.gen(function* () {
  const providers = yield* Providers
  const { baseUrl } = yield* PublicEndpoint

  const encode = (provider: IdentityProvider) => ({
    id: provider.id,
    name: provider.name,
    issuer: provider.issuer,
    clientId: provider.clientId,
    emailDomains: provider.emailDomains,
    defaultRole: provider.defaultRole,
    required: provider.required,
    redirectUri: `${baseUrl()}/manage/v1/session/provider/${provider.id}/callback`,
    createdAt: formatDateTime(provider.createdAt)
  })
  const given = (payload: {
    readonly name: string
    readonly issuer: string
    readonly clientId: string
    readonly clientSecret: string
    readonly emailDomains?: ReadonlyArray<string>
    readonly defaultRole?: string | null | undefined
    readonly required?: boolean
  }) => ({
    ...payload,
    emailDomains: payload.emailDomains ?? [],
    defaultRole: payload.defaultRole ?? null,
    required: payload.required ?? false
  })
  return { encode, given, providers }
})

/** The installation's providers. */
export const identityProvidersRoutes = Effect.map(makeRoutes, ({ encode, given, providers }) =>
  bind(ManagementApi.groups.identityProviders, {
    create: Effect.fnUntraced(function* ({ actor, caller, payload }) {
      yield* refuseOthers(yield* managerOf(caller), null)
      return created(encode(yield* providers.add(null, given(payload), actor)))
    }),
    list: ({ page }) => Effect.map(providers.list(null, page), (found) => ok(listed(page, found, encode))),
    remove: Effect.fnUntraced(function* ({ actor, caller, params }) {
      yield* providers.require(null, params.id)
      yield* refuseOthers(yield* managerOf(caller), null)
      yield* providers.remove(null, params.id, actor)
      return ok(null)
    })
  })
)

/** A company's providers. */
export const companyProvidersRoutes = Effect.map(makeRoutes, ({ encode, given, providers }) =>
  bind(ManagementApi.groups.companyProviders, {
    create: Effect.fnUntraced(function* ({ actor, caller, company, payload }) {
      yield* refuseOthers(yield* managerOf(caller), company.id)
      return created(encode(yield* providers.add(company.id, given(payload), actor)))
    }),
    list: ({ company, page }) =>
      Effect.map(providers.list(company.id, page), (found) => ok(listed(page, found, encode))),
    remove: Effect.fnUntraced(function* ({ actor, caller, company, params }) {
      yield* providers.require(company.id, params.id)
      yield* refuseOthers(yield* managerOf(caller), company.id)
      yield* providers.remove(company.id, params.id, actor)
      return ok(null)
    })
  })
)

const redirect = (location: string, ...cookies: ReadonlyArray<string>): HandlerReply<never> => ({
  _tag: "Reply",
  status: 302,
  headers: {
    location,
    "content-type": "text/plain; charset=utf-8",
    // The state and the code in the URL must not be sent to another page as the referrer.
    "referrer-policy": "no-referrer"
  },
  body: "The browser is sent on.",
  cookies
})

/** The routes of signing in at a provider. */
export const providerSignInRoutes = Effect.gen(function* () {
  const anonymous = yield* AnonymousCalls
  const cookies = yield* SessionCookies
  const signIn = yield* ProviderSignIn
  const { baseUrl } = yield* PublicEndpoint

  /** If a sign-in fails in a browser, redirects to the sign-in page, which shows the reason and offers another attempt. */
  const orPage = (
    { header }: Pick<Call, "header">,
    reply: Effect.Effect<HandlerReply<never>, Problem | Unavailable>
  ): typeof reply =>
    header("accept")?.includes("text/html") === true
      ? Effect.catch(reply, (failed) => {
          const code = failed._tag === "Problem" ? failed.issues[0].code : "common.unavailable"
          return Effect.succeed(redirect(`${baseUrl()}/app/sign-in?problem=${code}`))
        })
      : reply

  return bind(ManagementApi.groups.providerSignIn, {
    begin: (call) =>
      orPage(
        call,
        Effect.gen(function* () {
          yield* anonymous.take(call.origin)
          const { cookie, url } = yield* signIn.begin(call.params.id)
          return redirect(url, cookies.setProvider(cookie))
        })
      ),
    finish: (call) =>
      orPage(
        call,
        Effect.gen(function* () {
          const parameters = Object.fromEntries(
            Object.entries(call.query).flatMap(([name, value]) =>
              value === null ? [] : [[name, value] as const]
            )
          )
          const browser = { ...browserOf(call), device: cookies.device(call) }
          const returned = { parameters, cookie: cookies.provider(call) }
          const result = yield* signIn.finish(call.params.id, returned, browser)
          if (result._tag === "CodeNeeded") return yield* Problem.of("users.provider_failed")
          return redirect(
            `${baseUrl()}/app/`,
            cookies.setSession(result.issued.token),
            cookies.setDevice(result.device),
            cookies.setProvider(null)
          )
        })
      )
  })
})
