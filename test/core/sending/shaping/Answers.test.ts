/**
 * Tests of the classification of replies: a corpus of real replies, the table of codes, and properties of any reply. If a source
 * does not state the stage of a reply, the corpus has a likely one.
 *
 * @module
 */
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Answer, type AnswerAction, answerActions } from "../../../../core/model/Answer.ts"
import {
  answerRules,
  decideAnswer,
  reasonAfter,
  speaksOfPolicy
} from "../../../../core/sending/shaping/Answers.ts"
import { classify } from "../../../../core/sending/shaping/Classify.ts"
import { providers, ProviderTable } from "../../../../core/sending/shaping/Providers.ts"
import { parseReply, type SmtpStage, smtpStages } from "../../../../core/sending/shaping/SmtpReply.ts"
import { spentMillis } from "../../../support/stall.ts"

/** The provider table, with one provider added by an operator's file. */
const known = new ProviderTable([{ key: "ours", mx: ["mx.partner.example"] }])

interface Seen {
  readonly reply: string
  readonly stage: SmtpStage
  readonly provider: string | null
  readonly action: AnswerAction
  readonly scope: string
  readonly source: string
}

const corpus = readFileSync(
  join(import.meta.dirname, "../../../../core/sending/shaping/answers.corpus.jsonl"),
  "utf8"
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Seen)

const answerTo = (reply: string, stage: SmtpStage, provider: string | null = null, isRelay = false): Answer =>
  decideAnswer(parseReply(reply), { stage, provider, isRelay })

const actionOf = (reply: string, stage: SmtpStage): AnswerAction => answerTo(reply, stage).action

describe("the corpus of replies", () => {
  it("has each reply with where it was seen", () => {
    expect(corpus.length).toBeGreaterThan(250)
    expect(new Set(corpus.map(({ reply, stage }) => `${stage} ${reply}`)).size).toBe(corpus.length)
    expect(corpus.filter(({ source }) => source.length < 5)).toEqual([])
    expect(new Set(corpus.map(({ action }) => action))).toEqual(new Set(answerActions))
  })

  it("is decided exactly", () => {
    const decided = corpus.map(({ provider, reply, stage }) => {
      const { action, scope } = answerTo(reply, stage, provider)
      return `${action} ${scope}: ${reply}`
    })
    expect(decided).toEqual(corpus.map(({ action, reply, scope }) => `${action} ${scope}: ${reply}`))
  })
})

/** Enhanced codes with the action for each stage: before the recipient is named, at RCPT, and afterwards. */
const table: ReadonlyArray<
  readonly [statuses: ReadonlyArray<string>, ...actions: ReadonlyArray<AnswerAction>]
> = [
  [["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"], "PauseSite", "Bounce", "Bounce"],
  [["5.5.0"], "PauseSite", "Bounce", "FailMessage"],
  [["5.1.7", "5.1.8"], "PauseSender", "PauseSender", "PauseSender"],
  [["5.2.2"], "Retry", "Mailbox", "Mailbox"],
  [["4.2.1", "4.2.2"], "Retry", "Retry", "Retry"],
  [["5.2.3", "5.3.4", "5.6.0", "5.6.7"], "FailMessage", "FailMessage", "FailMessage"],
  [["5.3.0", "5.3.1", "5.3.2", "5.3.5"], "PauseSite", "Retry", "Retry"],
  [["5.4.1", "5.4.4", "5.4.5", "4.4.1", "4.4.9", "4.3.0"], "Retry", "Retry", "Retry"],
  [["5.4.6", "5.4.7", "5.5.1", "5.5.6"], "PauseSite", "FailMessage", "FailMessage"],
  [["4.7.0", "4.7.1", "4.7.99"], "PauseSource", "SlowDown", "SlowDown"],
  [["5.7.0", "5.7.1", "5.7.99"], "PauseSource", "Probe", "Probe"]
]

const codes: ReadonlyArray<readonly [codes: ReadonlyArray<number>, ...actions: ReadonlyArray<AnswerAction>]> =
  [
    [[550, 551, 553], "PauseSource", "Bounce", "FailMessage"],
    [[556], "PauseSite", "Bounce", "FailMessage"],
    [[521], "PauseSite", "FailMessage", "FailMessage"],
    [[552], "Retry", "Retry", "Retry"],
    [[554, 501, 571], "PauseSource", "FailMessage", "FailMessage"],
    [[421, 450, 451, 452, 499], "Retry", "Retry", "Retry"],
    [[200, 354], "Retry", "Retry", "Retry"]
  ]

const stagesOf: ReadonlyArray<ReadonlyArray<SmtpStage>> = [
  ["Connect", "Ehlo", "StartTls", "Auth", "Mail"],
  ["Rcpt"],
  ["Data", "Message"]
]

describe("a reply that people paste", () => {
  it.each([
    "550 5.1.1 User unknown",
    "  550 5.1.1 User unknown\n",
    "smtp; 550 5.1.1 User unknown",
    "smtp;550-5.1.1 User\r\n550 5.1.1 unknown",
    "host mx.example.org[192.0.2.1] said: 550 5.1.1 User unknown (in reply to RCPT TO command)"
  ])("is found in %s", (pasted) => {
    expect(classify(known, pasted, "Rcpt", null)).toMatchObject({ success: { action: "Bounce" } })
  })

  it.each(["554 #5.7.1 no", "554 (5.7.1) no", "554 5.7.1: no", "554 [5.7.1] no"])(
    "has the status code in %s",
    (reply) => {
      expect(classify(known, reply, "Rcpt", null)).toMatchObject({
        success: { action: "Probe", rule: "5.7.1" }
      })
    }
  )
})

describe("codes that no rule decides", () => {
  it("mean what the table says at each stage", () => {
    for (const [statuses, ...actions] of table) {
      for (const status of statuses) {
        for (const [index, stages] of stagesOf.entries()) {
          for (const stage of stages) {
            const code = status.startsWith("4") ? 450 : 550
            expect([status, stage, actionOf(`${code} ${status} no`, stage)]).toEqual([
              status,
              stage,
              actions[index]
            ])
          }
        }
      }
    }
    for (const [each, ...actions] of codes) {
      for (const code of each) {
        for (const [index, stages] of stagesOf.entries()) {
          for (const stage of stages)
            expect([code, stage, actionOf(`${code} no`, stage)]).toEqual([code, stage, actions[index]])
        }
      }
    }
  })

  it("are temporary where the code is, whatever the enhanced one", () => {
    expect(actionOf("450 5.1.1 of two minds", "Rcpt")).toBe("Retry")
    expect(actionOf("450 5.7.1 of two minds", "Rcpt")).toBe("SlowDown")
    expect(actionOf("550 4.7.1 of two minds", "Rcpt")).toBe("SlowDown")
    expect(actionOf("552 4.2.2 of two minds", "Rcpt")).toBe("Retry")
  })

  it("mean a new connection, and a message that is too large", () => {
    expect(answerTo("452 4.5.3 no more", "Rcpt")).toMatchObject({ action: "Retry", scope: "connection" })
    expect(actionOf("552 message size exceeds the limit", "Message")).toBe("FailMessage")
    expect(actionOf("552 Message exceeds the maximum", "Message")).toBe("FailMessage")
    expect(actionOf("552 Requested mail action aborted: exceeded storage allocation", "Message")).toBe(
      "Retry"
    )
    expect(actionOf("550 recipient domain has exceeded its monthly limit", "Rcpt")).toBe("Probe")
  })
})

describe("words that name whom a reply concerns", () => {
  const cases: ReadonlyArray<readonly [SmtpStage, string, AnswerAction]> = [
    ["Rcpt", "550 1.2.3.4 blacklisted see spamhaus", "PauseSource"],
    ["Rcpt", "550 5.2.1 1.2.3.4 blacklisted", "PauseSource"],
    ["Rcpt", "550 5.1.1 <ann@example.org>: Recipient address rejected: Blocked by policy", "Probe"],
    ["Rcpt", "550 5.1.1 rejected for reputation reasons", "PauseSource"],
    ["Rcpt", "550 5.1.1 rate limit exceeded for your network", "SlowDown"],
    ["Rcpt", "556 5.1.10 not accepted by local policy", "Probe"],
    ["Rcpt", "530 5.1.1 no", "Probe"],
    ["Message", "550 5.1.1 Message blocked: DMARC policy", "PauseSender"],
    ["Rcpt", "550 5.1.1 User unknown, see our policy at https://example.org/policy", "Bounce"],
    ["Rcpt", "550 5.1.1 <policy@example.org>: no such user", "Bounce"],
    ["Rcpt", "550 5.1.1 <blacklist@example.org> unknown", "Bounce"],
    ["Rcpt", "550 5.1.1 ann@spamhaus.example: user unknown", "Bounce"],
    ["Rcpt", "550 5.2.1 account is blocked", "Bounce"],
    ["Rcpt", "550 5.1.1 User (jane) not listed in public name and address book", "Bounce"],
    ["Rcpt", "550 Greylisted, please try again in 5 minutes", "Retry"],
    ["Rcpt", "550 5.1.1 [TSS04] Messages temporarily deferred due to user complaints", "PauseSource"]
  ]
  it.each(cases)("decide at %s: %s", (stage, reply, action) => {
    expect(actionOf(reply, stage)).toBe(action)
  })

  it("decide for the servers of one provider alone where a rule names it", () => {
    expect(answerTo("554 5.7.9 Header error", "Message", "yahoo").action).toBe("PauseSender")
    expect(answerTo("554 5.7.9 Header error", "Message", null).action).toBe("Probe")
  })

  it("concern the relay before a recipient is named", () => {
    for (const reply of ["535 5.7.8 wrong password", "530 Authentication required", "550 no", "550 5.7.1 no"])
      expect([reply, answerTo(reply, "Mail", null, true).action]).toEqual([reply, "PauseSite"])
    expect(answerTo("535 5.7.8 wrong password", "Auth", null, true).remedy).toContain("password")
    expect(answerTo("550 5.1.1 no", "Rcpt", null, true).action).toBe("Bounce")
    expect(answerTo("535 5.7.8 wrong password", "Auth").action).toBe("PauseSource")
  })
})

const anyReply = fc.oneof(
  fc.string({ maxLength: 200, unit: "binary" }),
  fc
    .tuple(
      fc.integer({ min: 200, max: 599 }),
      fc.constantFrom(" ", "-"),
      fc.oneof(
        fc.constant(""),
        fc
          .tuple(fc.constantFrom(2, 4, 5), fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 999 }))
          .map((status) => `${status.join(".")} `),
        fc.constantFrom("5.1.1 ", "5.1.2 ", "5.2.1 ", "5.5.0 ", "5.7.1 ")
      ),
      fc.oneof(
        fc.string({ maxLength: 100 }),
        fc.constantFrom(...corpus).map(({ reply }) => parseReply(reply).text)
      )
    )
    .map(([code, separator, status, text]) => `${code}${separator}${status}${text}`)
)

const anyStage = fc.constantFrom(...smtpStages)

const anyProvider = fc.constantFrom(null, ...providers.map(({ key }) => key))

/** The texts of the corpus that are about us, our domain or our rate. */
const policyTexts = corpus
  .filter(
    ({ action, reply }) =>
      ["PauseSource", "PauseSender", "SlowDown"].includes(action) && speaksOfPolicy(parseReply(reply).text)
  )
  .map(({ reply }) => parseReply(reply).text)

const blockLists = [
  "чорному списку",
  "черния списък",
  "црној листи",
  "crnoj listi",
  "llista negra",
  "lista de bloqueo",
  "lista de bloqueio",
  "liste de blocage",
  "lista di blocco",
  "blokkeerlijst",
  "spärrlista",
  "blockeringslista",
  "sortlisten",
  "estolistalla",
  "mustalla listalla",
  "tiltólistán",
  "lista neagră",
  "kara listede",
  "liście blokad",
  "czarnej liście",
  "černé listině",
  "čiernej listine",
  "juodajame sąraše",
  "melnajā sarakstā",
  "mustas nimekirjas",
  "danh sách đen",
  "daftar hitam",
  "บัญชีดำ",
  "القائمة السوداء",
  "لیست سیاه",
  "ברשימה השחורה",
  "काली सूची",
  "ΜΑΥΡΗ ΛΙΣΤΑ",
  "λίστα αποκλεισμού",
  "ブロックリスト",
  "被列入黑名单",
  "封锁列表",
  "차단 목록",
  "ｂｌａｃｋｌｉｓｔｅｄ",
  "black\u00adlisted",
  "bl\u200backlisted",
  "truncate.gbudb.net"
]
const blocks = [
  "Сервер заблокирован",
  "Сервер заблоковано",
  "Votre serveur est bloqué",
  "su servidor está bloqueado",
  "il server è bloccato",
  "de server is geblokkeerd",
  "servern är blockerad",
  "serwer jest zablokowany",
  "server je zablokován",
  "a szerver tiltva",
  "sunucu engellendi",
  "차단되었습니다",
  "已被拦截",
  "bannie"
]
const limits = [
  "troppi messaggi",
  "muitas mensagens",
  "za dużo wiadomości",
  "çok fazla mesaj",
  "příliš mnoho zpráv",
  "liian monta viestiä",
  "liikaa viestejä",
  "túl sok üzenet",
  "prea multe mesaje",
  "för många meddelanden",
  "for mange meldinger",
  "quá nhiều thư",
  "terlalu banyak pesan",
  "メッセージが多すぎます",
  "邮件过多",
  "발송량 초과",
  "limite d'envoi dépassée",
  "Sendelimit überschritten",
  "límite de envío superado",
  "przekroczono limit",
  "превышен лимит",
  "ліміт перевищено",
  "送信制限",
  "quota for sender exceeded",
  "100 per minute"
]
const policies = [
  "Sicherheitsrichtlinie",
  "säkerhetspolicy",
  "sikkerhedspolitik",
  "tietoturvakäytäntö",
  "naruszenie zasad",
  "porušení pravidel",
  "szabályzat megsértése",
  "ilke ihlali",
  "違反",
  "정책 위반",
  "违反政策",
  "ryktet är dåligt",
  "maine on huono",
  "rossz hírnév",
  "itibar düşük",
  "信用が低い",
  "평판이 낮음",
  "denied by ACL",
  "untrusted host",
  "rejected by administrator",
  "You are not allowed"
]
/** Replies about addresses that do not exist, in several languages. */
const unknownUsers = [
  "No such user here",
  "sorry, no mailbox here by that name",
  "User unknown, relay=[192.0.2.7]",
  "User unknown; connection from [192.0.2.7]",
  "host mx.example.org[192.0.2.7] said: mailbox unavailable",
  "Utilisateur inconnu",
  "Benutzer unbekannt",
  "El usuario no existe",
  "utente sconosciuto",
  "gebruiker onbekend",
  "uživatel neexistuje",
  "nie ma takiego użytkownika",
  "пользователь не найден",
  "用户不存在",
  "ユーザーが存在しません"
]

describe("any reply", () => {
  it("has an action, whose reason the recipient has", () => {
    fc.assert(
      fc.property(anyStage, anyReply, anyProvider, fc.boolean(), (stage, reply, provider, isRelay) => {
        const { action, scope } = answerTo(reply, stage, provider, isRelay)
        expect(answerActions).toContain(action)
        expect(scope).not.toBe("")
        if (action === "Bounce") {
          expect(reasonAfter(action)).toBeNull()
          expect(["Rcpt", "Data", "Message"]).toContain(stage)
          expect(parseReply(reply).code).toBeGreaterThanOrEqual(500)
        } else expect(reasonAfter(action)).not.toBeNull()
      })
    )
  })

  it("suppresses no address by words of a block list, reputation, policy or rate, and by no code of authentication", () => {
    expect(policyTexts.length).toBeGreaterThan(100)
    fc.assert(
      fc.property(
        anyStage,
        fc.integer({ min: 200, max: 599 }),
        fc.constantFrom("", "5.1.1 ", "5.1.2 ", "5.1.3 ", "5.1.6 ", "5.1.10 ", "5.2.1 ", "5.5.0 ", "5.7.1 "),
        fc.constantFrom("", "user unknown: ", "<ann@example.org>: ", "no such user; mailbox unavailable; "),
        fc.constantFrom(...policyTexts),
        (stage, code, status, before, text) => {
          expect(actionOf(`${code} ${status}${before}${text}`, stage)).not.toBe("Bounce")
          if (code >= 530 && code <= 539)
            expect(actionOf(`${code} ${status}no such user`, stage)).not.toBe("Bounce")
        }
      )
    )
  })

  it.each([
    ["a block list", blockLists],
    ["a block", blocks],
    ["too much mail", limits],
    ["a policy or reputation", policies],
    [
      "the address that sends",
      [
        "550 [192.0.2.7] ok",
        "550 192.0.2.7: ok",
        "551 ok (2001:db8:0:1::7)",
        "550 ok ipv6:2001:db8:1:2:3:4:5:6."
      ]
    ],
    ["a code of policy", ["550-5.1.1 ok\r\n550 5.7.1 ok", "550-5.7.1 ok\r\n550-5.1.1 ok\r\n550 5.1.1 ok"]]
  ])("suppresses no address by %s in any language or spelling", (_, texts) => {
    const suppressing = texts.flatMap((text) =>
      (/^55\d/.test(text) ? [text] : ["550 ", "550 5.1.1 ", "553 5.2.1 "].map((code) => code + text)).filter(
        (reply) => actionOf(reply, "Rcpt") === "Bounce"
      )
    )
    expect(suppressing).toEqual([])
  })

  it.each([...unknownUsers])("suppresses an address by words of its own: %s", (text) => {
    for (const code of ["550 ", "550 5.1.1 "]) expect(actionOf(code + text, "Rcpt")).toBe("Bounce")
  })

  it("is decided in a time linear in its length", () => {
    const texts = ["again 1", "550-", "1 ", "see ", "sender ", "<a@", "http://", "blocked by ", "from "]
    const before = spentMillis()
    for (const text of texts)
      for (const code of [450, 550]) answerTo(`${code} ${text.repeat(400_000 / text.length)}`, "Rcpt")
    expect(spentMillis() - before).toBeLessThan(2_000)
  })
})

describe("a relay's reply about the whole account", () => {
  const actionAt = (reply: string, stage: SmtpStage, isRelay: boolean) =>
    decideAnswer(parseReply(reply), { stage, provider: null, isRelay }).action

  it.each([
    ["Message", "454 Throttling failure: Daily message quota exceeded."],
    ["Mail", "454 4.7.0 Throttling failure: Daily message quota exceeded."],
    ["Message", "554 Transaction failed: Sending paused for this account."],
    ["Auth", "451 Authentication failed: Maximum credits exceeded"],
    ["Message", "550 You've exceeded your messaging limits"],
    ["Rcpt", "452 4.3.1 Domain example.com is not allowed to send: recipient limit exceeded"],
    ["Rcpt", "550 5.7.1 Exceeded sending limit (daily)"],
    ["Message", "450 You have reached your daily email sending quota."],
    ["Rcpt", "550 Your account is suspended"],
    ["Mail", "550 5.4.5 Daily SMTP relay limit exceeded for customer"]
  ] as const)("at %s pauses the relay, and blames no address: %s", (stage, reply) => {
    expect(actionAt(reply, stage, true)).toBe("PauseSite")
  })

  it.each([
    ["Rcpt", "552 5.2.2 user over quota", "Mailbox"],
    ["Rcpt", "452 4.2.2 mailbox full: over quota", "Retry"],
    ["Rcpt", "550 5.2.1 The email account that you tried to reach is disabled", "Bounce"],
    ["Message", "454 Throttling failure: Maximum sending rate exceeded.", "SlowDown"],
    ["Message", "554 Message rejected: Email address is not verified.", "FailMessage"]
  ] as const)("is none at %s: %s", (stage, reply, action) => {
    expect(actionAt(reply, stage, true)).toBe(action)
  })
})

describe("the rules", () => {
  it("have different names, sources, and providers of the table", () => {
    expect(new Set(answerRules.map(({ id }) => id)).size).toBe(answerRules.length)
    const keys = new Set(providers.map(({ key }) => key))
    for (const { providers: named = [], source } of answerRules) {
      expect(source).not.toBe("")
      for (const key of named) expect(keys).toContain(key)
    }
  })
})

describe("the provider of servers", () => {
  it("is found where every host is its own", () => {
    expect(known.of(["aspmx.l.google.com", "alt1.aspmx.l.google.com"])?.key).toBe("google")
    expect(known.of(["mta5.am0.yahoodns.net"])?.key).toBe("yahoo")
    expect(known.of(["outlook-com.olc.protection.outlook.com"])?.key).toBe("outlook")
    expect(known.of(["example-com.mail.protection.outlook.com"])?.key).toBe("office365")
    expect(known.of(["web.de"])?.key).toBe("gmx")
    expect(known.of(["aspmx.l.google.com", "mx.example.org"])).toBeNull()
    expect(known.of(["notgoogle.com"])).toBeNull()
    expect(known.of([])).toBeNull()
  })
})

describe("classify", () => {
  it("accepts a success, and names the rule, reason and source of what is none", () => {
    expect(classify(known, "250 2.0.0 queued", "Message", null)).toMatchObject({
      success: { action: "Accept" }
    })
    expect(classify(known, "550 5.7.1 blocked using zen.spamhaus.org", "Rcpt", null)).toMatchObject({
      success: { action: "PauseSource", rule: "block-list", reason: "sending.provider_held" }
    })
    expect(classify(known, "550 no", "Rcpt", "nowhere")._tag).toBe("Failure")
    expect(classify(known, "550 5.1.1 no", "Rcpt", "ours")).toMatchObject({ success: { action: "Bounce" } })
    expect(classify(known, "5".repeat(10_001), "Rcpt", null)._tag).toBe("Failure")
  })
})
