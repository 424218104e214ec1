/**
 * Uses every secret of people who sign in, both right and wrong ones, so that a test can search for them where they must not be.
 *
 * @module
 */
import { Secret, TOTP } from "otpauth"
import { type Browser, goodPassword, openBrowser, tokenOf } from "./browser.ts"
import { eventually } from "./client.ts"
import { type Domain, publish } from "./liveDomain.ts"
import type { Page } from "./shapes.ts"
import type { SmtpSink } from "./smtpSink.ts"
import type { Target } from "./targets.ts"
import { manage } from "./workspace.ts"

/** The text of a message. Quoted-printable is decoded for ASCII only. */
const textOf = (raw: string): string =>
  raw
    .replaceAll(/=\r\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** The set-up link of the latest message to an address. */
const linkTo = async (sink: SmtpSink, address: string, others: ReadonlySet<string>): Promise<string> => {
  const found = () =>
    sink
      .messages()
      .filter(({ rcptTo }) => rcptTo.includes(address))
      .flatMap(({ raw }) => /https?:\/\/\S+\/app\/welcome#[\w-]+/.exec(textOf(raw))?.[0] ?? [])
      .find((link) => !others.has(link))
  return (await eventually(
    async () => found() ?? "",
    (link) => link !== ""
  ))!
}

const cookiesOf = (browser: Browser): ReadonlyArray<string> => [...browser.cookies.values()]

/**
 * Invites a person by mail, who signs in by every means that needs no real browser. Returns the strings that must not appear in
 * any log. The sender's domain is that of `SVC_SYSTEM_SENDER`.
 */
export const usePeopleSecrets = async (
  target: Target,
  sink: SmtpSink,
  senderDomain: string,
  address: string
): Promise<ReadonlyArray<string>> => {
  const companies = await manage<
    Page<{ id: string; live: { accountId: string }; sandbox: { accountId: string } }>
  >(target, "GET", "/companies?pageSize=200")
  const first = companies.value.items.find(({ sandbox }) => sandbox.accountId === target.sandbox.accountId)!
  const { accountId } = first.live
  const domain = await manage<Domain>(target, "POST", `/accounts/${accountId}/domains`, {
    json: { domain: senderDomain }
  })
  publish(target.dns, domain.value)
  await manage(target, "POST", `/accounts/${accountId}/domains/${domain.value.id}/verify`)
  const added = await manage<{ link: string | null }>(target, "POST", `/companies/${first.id}/members`, {
    json: { email: address, role: "Owner" }
  })
  if (added.value.link !== null) throw new Error("The invitation was not mailed.")
  const links = new Set<string>()
  const invitation = await linkTo(sink, address, links)
  links.add(invitation)
  const browser = openBrowser(target)
  await browser.send("POST", "/welcome", { token: tokenOf(invitation) })
  const wrong = "wrong-marmot-quartz-58-anvil"
  const name = "Ada"
  const joined = await browser.send("POST", "/welcome/complete", {
    token: tokenOf(invitation),
    name,
    password: goodPassword
  })
  if (joined.status !== 200) throw new Error(`Joining returned ${joined.status}: ${joined.text}`)
  const used = [goodPassword, wrong, ...cookiesOf(browser)]
  await openBrowser(target).send("POST", "/session/password", { email: address, password: wrong })
  // A password entered in the address field by mistake.
  await openBrowser(target).send("POST", "/session/password", { email: wrong, password: wrong })

  const setup = (await browser.send<{ secret: string }>("POST", "/me/totp", {})).value
  const codes = new TOTP({ secret: Secret.fromBase32(setup.secret) })
  const confirmed = await browser.send<{ recoveryCodes: ReadonlyArray<string> }>("POST", "/me/totp", {
    code: codes.generate({ timestamp: target.now() - 30_000 })
  })
  const { recoveryCodes } = confirmed.value
  used.push(setup.secret, ...recoveryCodes, ...cookiesOf(browser))
  const second = openBrowser(target)
  await second.send("POST", "/session/password", {
    email: address,
    password: goodPassword,
    code: recoveryCodes[0]
  })
  used.push(...cookiesOf(second))

  const token = await browser.send<{ token: string }>("POST", "/me/tokens", { name, expiresInDays: 1 })
  const device = (await openBrowser(target).send<{ deviceCode: string; userCode: string }>("POST", "/device"))
    .value
  await browser.send("POST", "/device/confirm", { userCode: device.userCode })
  const polled = await openBrowser(target).send<{ token: string }>("POST", "/device/token", {
    deviceCode: device.deviceCode
  })
  used.push(token.value.token, device.deviceCode, device.userCode, polled.value.token)
  await manage(target, "GET", "/companies", { token: token.value.token })

  const clientSecret = "client-secret-of-a-provider-q7w2"
  const provider = await browser.send<{ id: string }>("POST", `/companies/${first.id}/identity-providers`, {
    name: "Provider",
    issuer: "https://no-such-provider.invalid",
    clientId: "client",
    clientSecret
  })
  // The provider's discovery fails, which is logged.
  await openBrowser(target).send("GET", `/session/provider/${provider.value.id}`)
  used.push(clientSecret)

  await openBrowser(target).send("POST", "/password-resets", { email: address })
  links.add(await linkTo(sink, address, links))
  return [...used, ...[...links].map(tokenOf)]
}
