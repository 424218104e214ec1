/**
 * Tests the protocol of the SMTP relay (docs/contributing/public-api.md "SMTP relay", docs/contributing/decisions.md 6).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { queuedId, relayedOf } from "../../support/relayed.ts"
import { loggedIn, openSmtp, plainToken, type SmtpClient } from "../../support/smtpClient.ts"
import type { Target } from "../../support/targets.ts"
import { enterWindow } from "../../support/window.ts"
import { openWorkspace, type Workspace } from "../../support/workspace.ts"

const from = "Suite <suite@mail.example>"
const hello = (more = "") =>
  `From: ${from}\r\nTo: ada@example.org\r\nSubject: Hello\r\n${more}\r\nIt works.\r\n`
const megabyte = 1024 * 1024

export const smtpSuite = (target: () => Target) =>
  describe("the SMTP relay", () => {
    let workspace: Workspace
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Relay")
    })
    const relayed = () => relayedOf(target(), workspace.sandbox)
    const using = async <A>(client: SmtpClient, use: (client: SmtpClient) => Promise<A>): Promise<A> => {
      try {
        return await use(client)
      } finally {
        client.close()
      }
    }
    const loggedInBy = <A>(
      use: (client: SmtpClient) => Promise<A>,
      key = workspace.sandbox.key
    ): Promise<A> => loggedIn(target().smtp.tls, key).then((client) => using(client, use))
    const send = (message: string, recipients: ReadonlyArray<string> = ["ada@example.org"]) =>
      loggedInBy((client) => client.send(recipients, message))

    it("offers its extensions, and login only once encrypted", async () => {
      await using(await openSmtp(target().smtp.startTls), async (client) => {
        expect(await client.read()).toMatch(/^220 \S+ ESMTP svc$/)
        const before = (await client.say("EHLO test.example")).split("\n").slice(1)
        const all = ["PIPELINING", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES", `SIZE ${10 * megabyte}`]
        expect(before.map((line) => line.slice(4)).toSorted()).toEqual([...all, "STARTTLS"].toSorted())
        for (const line of [
          "AUTH LOGIN",
          `AUTH PLAIN ${plainToken(workspace.sandbox.key)}`,
          "MAIL FROM:<a@b.example>"
        ]) {
          expect(await client.say(line)).toBe("530 5.7.0 Must issue a STARTTLS command first")
        }
        expect(await client.say("STARTTLS")).toMatch(/^220 2\.0\.0 /)
        await client.encrypt()
        const after = (await client.say("EHLO test.example")).split("\n").slice(1)
        expect(after.map((line) => line.slice(4)).toSorted()).toEqual([...all, "AUTH PLAIN LOGIN"].toSorted())
      })
      await using(await openSmtp(target().smtp.tls), async (client) => {
        await client.read()
        expect(await client.say("EHLO test.example")).toContain("AUTH PLAIN LOGIN")
        expect(client.protocol()).toMatch(/^TLSv1\.[23]$/)
      })
    })

    it("rejects TLS versions before 1.2", async () => {
      const { startTls, tls } = target().smtp
      await expect(openSmtp(tls, { minVersion: "TLSv1", maxVersion: "TLSv1.1" })).rejects.toThrow()
      await using(await openSmtp(tls, { maxVersion: "TLSv1.2" }), async (client) => {
        expect(client.protocol()).toBe("TLSv1.2")
      })
      const old = await openSmtp(startTls, { minVersion: "TLSv1", maxVersion: "TLSv1.1" })
      await using(old, async (client) => {
        await client.read()
        await client.say("EHLO test.example")
        await client.say("STARTTLS")
        await expect(client.encrypt()).rejects.toThrow()
      })
    })

    it("requires a login before a message, by PLAIN or LOGIN", async () => {
      const base64 = (text: string) => Buffer.from(text).toString("base64")
      await using(await openSmtp(target().smtp.tls), async (client) => {
        await client.read()
        await client.say("EHLO test.example")
        for (const line of ["MAIL FROM:<a@b.example>", "RCPT TO:<a@b.example>", "DATA"]) {
          expect(await client.say(line)).toBe("530 5.7.0 Authentication required")
        }
        expect(await client.say("AUTH CRAM-MD5")).toMatch(/^504 5\.5\.4 /)
        expect(await client.say("AUTH LOGIN")).toBe("334 VXNlcm5hbWU6")
        expect(await client.say(base64("anybody"))).toBe("334 UGFzc3dvcmQ6")
        expect(await client.say(base64(workspace.sandbox.key))).toMatch(/^235 2\.7\.0 /)
        expect(await client.say("AUTH LOGIN")).toMatch(/^503 5\.5\.1 /)
        queuedId(await client.send(["ada@example.org"], hello()))
      })
    })

    it("does not check the user name, an empty one included", async () => {
      const base64 = (text: string) => Buffer.from(text).toString("base64")
      const { key } = workspace.sandbox
      const ways: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> = [
        ["AUTH LOGIN", "", base64(key)],
        ["AUTH LOGIN =", base64(key)],
        ["auth login", base64("anybody"), base64(key)],
        ["AUTH PLAIN", base64(`\0\0${key}`)],
        [`AUTH PLAIN ${base64(`\0any\0${key}`)}`]
      ]
      for (const way of ways) {
        await using(await openSmtp(target().smtp.tls), async (client) => {
          await client.read()
          await client.say("EHLO test.example")
          let last = ""
          for (const line of way) last = await client.say(line)
          expect([way[0], last]).toEqual([way[0], expect.stringMatching(/^235 2\.7\.0 /)])
        })
      }
    })

    it("rejects keys that are wrong, revoked, or lack emails:send", async () => {
      const other = await workspace.sandbox.issueKey(["emails:read"])
      const revoked = await workspace.sandbox.issueKey()
      const client = await loggedIn(target().smtp.tls, revoked.key, { from: "127.0.0.21" })
      queuedId(await client.send(["ada@example.org"], hello()))
      await workspace.sandbox.manage("DELETE", `/api-keys/${revoked.id}`)
      // A revoked key is rejected at once, even on a connection opened with it.
      expect(await client.say("MAIL FROM:<a@b.example>")).toMatch(/^535 5\.7\.8 /)
      expect(await client.say("MAIL FROM:<a@b.example>")).toMatch(/^530 5\.7\.0 /)
      for (const key of [
        "",
        "svc_test_wrong",
        `${workspace.sandbox.key.slice(0, -1)}!`,
        other.key,
        revoked.key
      ]) {
        expect(await client.say(`AUTH PLAIN ${plainToken(key)}`)).toMatch(/^535 5\.7\.8 /)
      }
      client.close()
    })

    it("rejects an address after 10 failed logins, even with a valid key, and no other", async () => {
      const elsewhere = { from: "127.0.0.22" }
      for (let round = 0; round < 2; round++) {
        const client = await openSmtp(target().smtp.tls, elsewhere)
        await client.read()
        await client.say("EHLO test.example")
        for (let failed = 0; failed < 5; failed++) {
          expect(await client.say(`AUTH PLAIN ${plainToken("wrong")}`)).toMatch(/^535 5\.7\.8 The password/)
        }
        client.close()
      }
      await expect(loggedIn(target().smtp.tls, workspace.sandbox.key, elsewhere)).rejects.toThrow(
        "535 5.7.8 Too many failed logins"
      )
      await loggedInBy(async (client) => queuedId(await client.send(["ada@example.org"], hello())))
    })

    it("replies 250 with the id of the submission", async () => {
      const id = queuedId(await send(hello()))
      expect(await relayed().settled(id, "Delivered")).toMatchObject({ id, status: "Delivered" })
      expect(await relayed().recipients(id)).toEqual([["To", "ada@example.org", null]])
    })

    it("accepts live keys, and requires a verified sender domain of them", async () => {
      await loggedInBy(async (client) => {
        expect(await client.send(["ada@example.org"], hello())).toMatch(
          /^550 5\.7\.1 deliverability\.sender_domain_not_verified/
        )
      }, workspace.live.key)
    })

    it("rejects messages without one sender on a verified domain", async () => {
      const bodies = [
        "Subject: s\r\nTo: ada@example.org\r\n\r\nt\r\n",
        "From: a@other.example\r\nSubject: s\r\nTo: ada@example.org\r\n\r\nt\r\n",
        "From: a@mail.example, b@mail.example\r\nSubject: s\r\nTo: ada@example.org\r\n\r\nt\r\n",
        "From: a@mail.example\r\nFrom: b@mail.example\r\nSubject: s\r\nTo: ada@example.org\r\n\r\nt\r\n",
        "From: noaddress\r\nSubject: s\r\nTo: ada@example.org\r\n\r\nt\r\n"
      ]
      await loggedInBy(async (client) => {
        for (const body of bodies)
          expect(await client.send(["ada@example.org"], body)).toMatch(/^550 5\.7\.1 /)
        queuedId(await client.send(["ada@example.org"], hello()))
      })
    })

    it("rejects address headers in which a mailbox has two addresses", async () => {
      const fields = { From: "from", To: "to", Cc: "cc", "Reply-To": "replyTo" }
      const valid = { From: from, To: "ada@example.org", Subject: "s" }
      await loggedInBy(async (client) => {
        for (const value of [
          "Ann <suite@mail.example> <ada@example.org>",
          "ada@example.org <suite@mail.example>"
        ]) {
          for (const [name, field] of Object.entries(fields)) {
            const headers = { ...valid, [name]: value }
            const lines = Object.entries(headers).map(([key, text]) => `${key}: ${text}\r\n`)
            expect(await client.send(["ada@example.org"], `${lines.join("")}\r\nt\r\n`)).toMatch(
              new RegExp(`^554 5\\.6\\.0 validation\\.email \\(${field}\\)`)
            )
          }
        }
      })
    })

    it("accepts 50 recipients and rejects the 51st", async () => {
      await loggedInBy(async (client) => {
        await client.say("MAIL FROM:<>")
        for (let index = 1; index <= 50; index++) {
          expect(await client.say(`RCPT TO:<r${index}@example.org>`)).toBe("250 2.1.5 Accepted")
        }
        expect(await client.say("RCPT TO:<r51@example.org>")).toBe("452 4.5.3 Error: too many recipients")
        expect(await client.say("RCPT TO:<R50@example.org>")).toMatch(/^250 /)
        expect(await client.say("DATA")).toMatch(/^354 /)
        const id = queuedId(await client.say(`${hello()}.`))
        expect((await relayed().read(id)).recipients).toHaveLength(50)
      })
    })

    it("rejects parameters that it does not offer", async () => {
      await loggedInBy(async (client) => {
        for (const parameter of ["REQUIRETLS", "RET=HDRS", "FUTURE=1", "SIZE=10 HOLDFOR=60"])
          expect(await client.say(`MAIL FROM:<a@b.example> ${parameter}`)).toMatch(/^555 5\.5\.4 /)
        expect(await client.say("MAIL FROM:<a@b.example> SIZE=10 body=8bitmime SMTPUTF8 AUTH=<>")).toMatch(
          /^250 /
        )
        for (const parameter of ["NOTIFY=NEVER", "ORCPT=rfc822;a@example.org", "other", "SIZE=10"])
          expect(await client.say(`RCPT TO:<a@example.org> ${parameter}`)).toMatch(/^555 5\.5\.4 /)
        expect(await client.say("DATA")).toMatch(/^503 /)
        await client.say("RCPT TO:<a@example.org>")
        for (const command of ["DATA now", "RSET all", "quit 1"])
          expect(await client.say(command)).toMatch(/^501 5\.5\.4 /)
        expect(await client.say("data ")).toMatch(/^354 /)
        queuedId(await client.say(`${hello()}.`))
      })
    })

    it("rejects recipients with invalid addresses", async () => {
      await loggedInBy(async (client) => {
        expect(await client.say("MAIL FROM:<a@b.example> <c@b.example>")).toMatch(/^501 5\.1\.7 /)
        await client.say("MAIL FROM:<a@b.example>")
        expect(await client.say("RCPT TO:<postmaster>")).toMatch(/^553 5\.1\.3 /)
        expect(await client.say("RCPT TO:<a@[127.0.0.1]>")).toMatch(/^553 5\.1\.3 /)
        expect(await client.say("RCPT TO:<a b@example.org>")).toMatch(/^501 5\.1\.3 /)
        for (const paths of [
          "<a@example.org> <b@example.org>",
          "<a@example.org> b@example.org",
          "<a@example.org>, <b@example.org>",
          "<a@example.org><b@example.org>",
          '<"a b"@example.org> <b@example.org>'
        ]) {
          expect(await client.say(`RCPT TO:${paths}`)).toMatch(/^501 5\.1\.3 /)
        }
        client.write(Buffer.from("RCPT TO:<caf\xe9@example.org>\r\n", "latin1"))
        expect(await client.read()).toMatch(/^501 5\.1\.3 /)
        expect(await client.say('RCPT TO:<"a b@c"@example.org>')).toMatch(/^250 2\.1\.5 /)
        expect(await client.say('RCPT TO:<"Needless"@example.org>')).toMatch(/^250 2\.1\.5 /)
        // Only the case of ASCII letters is ignored. The first character here is the Kelvin sign.
        for (const to of [
          "\u212aim@example.org",
          "kim@example.org",
          "KIM@example.org",
          "GRÜßE@bücher.example"
        ]) {
          expect(await client.say(`RCPT TO:<${to}>`)).toMatch(/^250 2\.1\.5 /)
        }
        expect(await client.say("RCPT TO:<grüße@bücher.example>")).toMatch(/^250 2\.1\.5 /)
        expect(await client.say("DATA")).toMatch(/^354 /)
        const id = queuedId(await client.say(`${hello()}.`))
        expect(await relayed().recipients(id)).toEqual([
          ["Bcc", '"a b@c"@example.org', null],
          ["Bcc", "needless@example.org", null],
          ["Bcc", "\u212aim@example.org", null],
          ["Bcc", "kim@example.org", null],
          ["Bcc", "grÜße@xn--bcher-kva.example", null],
          ["Bcc", "grüße@xn--bcher-kva.example", null]
        ])
      })
    })

    it(
      "rejects messages over 10 MB, declared or not, and accepts one of 10 MB",
      { timeout: 240_000 },
      async () => {
        const filled = (bytes: number) => {
          const head = hello("Content-Type: application/x-none\r\n")
          return `${head}${`${"x".repeat(998)}\r\n`.repeat(Math.ceil(bytes / 1000))}`
            .slice(0, bytes - 2)
            .concat("\r\n")
        }
        await loggedInBy(async (client) => {
          expect(await client.say(`MAIL FROM:<a@b.example> SIZE=${10 * megabyte + 1}`)).toMatch(
            /^552 5\.3\.4 /
          )
          await client.say(`MAIL FROM:<a@b.example> SIZE=${10 * megabyte}`)
          await client.say("RCPT TO:<ada@example.org>")
          await client.say("DATA")
          expect(await client.say(`${filled(10 * megabyte + 1)}.`)).toMatch(/^552 5\.3\.4 /)
          const whole = await client.send(["ada@example.org"], filled(10 * megabyte - 2).slice(0, -2))
          expect(whole).toMatch(/^554 5\.6\.0 sending\.attachments_too_large/)
          queuedId(await client.send(["ada@example.org"], hello()))
        })
      }
    )

    it("rejects the 601st message of a key in a minute, in a separate window", async () => {
      const { sandbox } = await openWorkspace(target(), "Relay rates")
      await sandbox.manage("PATCH", "/settings", { rateLimitPerMinute: 2 })
      await enterWindow(target())
      await loggedInBy(async (client) => {
        const answers = [
          await client.send(["a@b.example"], hello()),
          await client.send(["a@b.example"], hello())
        ]
        answers.map(queuedId)
        expect(await client.send(["a@b.example"], hello())).toMatch(/^451 4\.7\.0 /)
        expect((await sandbox.api("GET", "/contacts/ext:1")).status).toBe(404)
      }, sandbox.key)
    })

    it("replies to pipelined commands in order, with available replies in one write", async () => {
      await loggedInBy(async (client) => {
        const message = hello()
        const before = client.pieces()
        client.write("MAIL FROM:<a@b.example>\r\nRCPT TO:<x@example.org>\r\nRCPT TO:<noaddress>\r\nDATA\r\n")
        const replies = [await client.read(), await client.read(), await client.read(), await client.read()]
        expect(replies.map((reply) => reply?.slice(0, 9))).toEqual([
          "250 2.1.0",
          "250 2.1.5",
          "501 5.1.3",
          "354 End d"
        ])
        expect(client.pieces() - before).toBe(1)
        client.write(`${message}.\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<y@example.org>\r\nDATA\r\n`)
        queuedId((await client.read())!)
        expect([await client.read(), await client.read()]).toEqual([
          "250 2.1.0 Accepted",
          "250 2.1.5 Accepted"
        ])
        expect(await client.read()).toMatch(/^354 /)
        client.write(`${message}.\r\nNOOP\r\nQUIT\r\n`)
        queuedId((await client.read())!)
        expect([await client.read(), await client.read()]).toEqual(["250 2.0.0 OK", "221 2.0.0 Bye"])
        await client.ended
      })
    })

    it("keeps dots at the beginning of lines", async () => {
      const id = queuedId(await send(hello().replace("It works.", ".\r\n..two\r\n.end")))
      const raw = await relayed().raw(id, "ada@example.org")
      expect(raw.split("\r\n\r\n").slice(1).join("\r\n\r\n").replaceAll("=2E", ".")).toContain(
        ".\r\n..two\r\n.end"
      )
    })

    it.each([
      ["\\n.\\n", "\n.\n"],
      ["\\n.\\r\\n", "\n.\r\n"],
      ["\\r\\n.\\n", "\r\n.\n"]
    ])("is not smuggled a second message by %s", async (_name, sequence) => {
      const smuggled = `MAIL FROM:<evil@mail.example>\r\nRCPT TO:<victim@example.org>\r\nDATA\r\n${hello("X-Evil: 1\r\n")}`
      await loggedInBy(async (client) => {
        const answer = await client.send(["ada@example.org"], `${hello()}x`).then(async () => {
          await client.say("MAIL FROM:<a@b.example>")
          await client.say("RCPT TO:<ada@example.org>")
          await client.say("DATA")
          client.write(`${hello()}first${sequence}${smuggled}\r\n.\r\n`)
          return client.read()
        })
        expect(answer).toMatch(/^554 5\.6\.0 The lines of a message end with CR LF/)
        expect(await client.say("NOOP")).toBe("250 2.0.0 OK")
      })
      const page = await workspace.sandbox.manage<{ totalCount: number }>(
        "GET",
        "/emails?to=victim@example.org"
      )
      expect(page.value.totalCount).toBe(0)
    })

    it.each([
      ["one after CR LF", "Subject: a\r\nX-A: 1\n\r\nt\r\n"],
      ["one at the end", "Subject: a\r\n\r\nt\n"],
      ["CR LF in the body", "Subject: a\n\nt\r\nu\n"],
      ["CR LF in the header", "Subject: a\r\nX-A: 1\n\nt\n"]
    ])("rejects a mixture of line ends with words that say how to mend it: %s", async (_name, rest) => {
      await loggedInBy(async (client) => {
        for (const line of ["MAIL FROM:<a@b.example>", "RCPT TO:<ada@example.org>", "DATA"]) {
          await client.say(line)
        }
        const head = `From: ${from}\nTo: ada@example.org\n`
        client.write(`${rest.startsWith("Subject: a\n") ? head : head.replaceAll("\n", "\r\n")}${rest}`)
        expect(await client.say("\r\n.")).toMatch(
          /^554 5\.6\.0 The lines of a message end with CR LF, or all with LF.*convert it, in Python/
        )
      })
    })

    it.each([
      ["after the last line", "\r\n.\r\n"],
      ["in place of its LF", "\r\n.\r\n", -1],
      ["in pieces", "\r", undefined, "\n.\r\n"]
    ])(
      "accepts a message whose lines all end with LF, CR LF only %s",
      async (_name, end, cut?: number, rest = "") => {
        const lines = `From: ${from}\nTo: ada@example.org\nSubject: Hello\n\nfirst\n.\n..two\n\nlast\n`
        await loggedInBy(async (client) => {
          for (const line of ["MAIL FROM:<a@b.example>", "RCPT TO:<ada@example.org>", "DATA"]) {
            await client.say(line)
          }
          client.write(`${lines.replace("..two", "...two").slice(0, cut)}${end}`)
          if (rest !== "") client.write(rest)
          const id = queuedId((await client.read())!)
          const raw = await relayed().raw(id, "ada@example.org")
          expect(raw.slice(raw.indexOf("\r\n\r\n") + 4).replaceAll("=2E", ".")).toBe(
            "first\r\n.\r\n..two\r\n\r\nlast\r\n"
          )
          expect(await client.say("NOOP")).toBe("250 2.0.0 OK")
        })
      }
    )

    it("takes commands in a message of LF lines for content", async () => {
      const inner =
        "MAIL FROM:<evil@mail.example>\nRCPT TO:<lf-victim@example.org>\nDATA\nFrom: a@mail.example\n\nx"
      await loggedInBy(async (client) => {
        for (const line of ["MAIL FROM:<a@b.example>", "RCPT TO:<ada@example.org>", "DATA"]) {
          await client.say(line)
        }
        client.write(`From: ${from}\nTo: ada@example.org\nSubject: s\n\nfirst\n.\n${inner}\n.\nQUIT\n`)
        const id = queuedId(await client.say("\r\n."))
        expect(await relayed().raw(id, "ada@example.org")).toContain("RCPT TO:<lf-victim@example.org>")
      })
      const page = await workspace.sandbox.manage<{ totalCount: number }>(
        "GET",
        "/emails?to=lf-victim@example.org"
      )
      expect(page.value.totalCount).toBe(0)
    })

    it.each([
      ["\\r.\\r", "\r.\r"],
      ["\\r.\\r\\n", "\r.\r\n"]
    ])("treats %s as content", async (_name, sequence) => {
      const tail = "MAIL FROM:<evil@mail.example>\r\nRCPT TO:<victim@example.org>"
      const id = queuedId(await send(`${hello()}first${sequence}${tail}`))
      expect(await relayed().recipients(id)).toEqual([["To", "ada@example.org", null]])
    })

    it("executes no command that ends in a bare line feed", async () => {
      await loggedInBy(async (client) => {
        client.write("NOOP\r\nMAIL FROM:<a@b.example>\nRCPT TO:<x@example.org>\r\n")
        expect(await client.read()).toBe("250 2.0.0 OK")
        expect(await client.read()).toMatch(/^521 5\.5\.2 /)
        expect(await client.ended).toEqual([])
      })
    })

    it("replies to invalid commands, and closes after too many of them", async () => {
      await loggedInBy(async (client) => {
        expect(await client.say("FROB")).toMatch(/^500 5\.5\.2 /)
        expect(await client.say("NO\u0000OP")).toMatch(/^500 5\.5\.2 /)
        expect(await client.say("RCPT TO:<a@b.example>")).toMatch(/^503 5\.5\.1 /)
        expect(await client.say("DATA")).toMatch(/^503 5\.5\.1 /)
        expect(await client.say("MAIL FROM:a")).toMatch(/^501 5\.1\.7 /)
        expect(await client.say("STARTTLS")).toMatch(/^503 5\.5\.1 /)
        expect(await client.say("XCLIENT ADDR=1.2.3.4")).toMatch(/^500 5\.5\.2 /)
        for (let count = 0; count < 7; count++) await client.say("FROB")
        expect(await client.say("FROB")).toMatch(/^421 /)
        await client.ended
      })
      await loggedInBy(async (client) => {
        expect(await client.say("N".repeat(3_000))).toMatch(/^500 5\.5\.2 /)
        await client.ended
      })
      await loggedInBy(async (client) => {
        client.write("NOOP\r\n".repeat(200))
        const left = await client.ended
        expect(left.at(-1)).toBe("421 4.7.0 Too many commands")
        expect(left.length).toBeLessThan(110)
      })
    })

    it("discards plaintext input when it switches to TLS", async () => {
      await using(await openSmtp(target().smtp.startTls), async (client) => {
        await client.read()
        await client.say("EHLO test.example")
        client.write("STARTTLS\r\nNOOP\r\nEHLO injected.example\r\n")
        expect(await client.read()).toMatch(/^220 /)
        await client.encrypt()
        expect(await client.say("EHLO test.example")).toContain("AUTH PLAIN LOGIN")
        expect(await client.say("NOOP")).toBe("250 2.0.0 OK")
      })
    })
  })
