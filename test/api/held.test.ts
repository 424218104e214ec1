/**
 * Tests mail that an operator holds, over the public interfaces: suspending, releasing in parts, and ending it.
 *
 * @module
 */
import { expect, it } from "vitest"
import { start } from "../../runtimes/embedded/index.ts"
import { call } from "../support/client.ts"
import type { Page } from "../support/shapes.ts"

/** More emails than a lane processes at a time. */
const count = 40

it.each(["memory", "pglite"] as const)(
  "mail that is resumed, flushed and bounced leaves once or fails, over %s",
  async (store) => {
    await using service = await start({ store })
    const target = {
      managementToken: service.managementToken,
      fetch: (path: string, init?: RequestInit) => service.fetch(new Request(service.baseUrl + path, init))
    }
    const ask = async <Value>(token: string, method: string, path: string, json?: unknown) => {
      const answer = await call<Value>(target, method, path, {
        token,
        ...(json === undefined ? {} : { json })
      })
      expect([path, answer.codes]).toEqual([path, []])
      return answer.value
    }
    const operate = (act: string, json: object) =>
      ask<Record<string, unknown>>(service.managementToken, "POST", `/manage/v1/shaping/${act}`, json)
    await ask(service.managementToken, "PATCH", `/manage/v1/accounts/${service.live.accountId}/settings`, {
      defaultSender: { email: "hello@shop.example", name: null }
    })
    await service.publish("shop.example")
    const domain = "one.example"
    const reason = "They asked us to wait."
    const send = async (name: string) => {
      const requests = Array.from({ length: count }, (_, index) => ({
        to: `${name}${index}@${domain}`,
        subject: "Receipt",
        text: "Thank you."
      }))
      for (const request of requests)
        await ask(service.live.apiKey, "POST", "/api/v1/sending/emails", request)
      await service.settle()
      return requests.map(({ to }) => to).toSorted()
    }
    const holding = async () =>
      (
        await ask<Page<{ held: number; lane: string }>>(
          service.managementToken,
          "GET",
          "/manage/v1/shaping/notices?state=Open"
        )
      ).items.map(({ held }) => held)
    const left = (name: string) =>
      service
        .outbox()
        .map(({ recipient }) => recipient)
        .filter((recipient) => recipient.startsWith(name))
        .toSorted()

    for (const [act, name] of [
      ["resume", "slow"],
      ["flush", "quick"]
    ] as const) {
      await operate("suspend", { domain, reason })
      const everyone = await send(name)
      expect(await holding()).toEqual([count])
      expect(left(name)).toEqual([])
      expect(await operate(act, { domain })).toEqual(
        act === "resume" ? { resumed: count } : { released: count }
      )
      await service.advance("20 seconds")
      if (act === "flush") expect(left(name)).toHaveLength(count)
      else expect(left(name).length).toBeLessThan(10)
      await service.advance(act === "flush" ? "1 second" : "4 minutes")
      expect(left(name)).toEqual(everyone)
    }

    await operate("suspend", { domain, reason })
    await send("never")
    // The call returns before the deliveries have ended, and ends none that is held later.
    expect(await operate("bounce", { domain, reason, confirm: count })).toEqual({ ended: count })
    expect(await holding()).toEqual([count])
    await service.advance("1 second")
    await send("later")
    expect(await holding()).toEqual([count])
    await service.settle()
    await operate("resume", { domain })
    await service.advance("1 minute")
    expect(left("never")).toEqual([])
  }
)
