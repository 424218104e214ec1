/**
 * Tests of parsing unusual and hostile reports: DMARC (RFC 9990, RFC 7489) and TLS (RFC 8460).
 *
 * @module
 */
import { expect, it } from "vitest"
import { DmarcReader } from "../../../adapters/mail/reports/DmarcXml.ts"
import { readTlsReport } from "../../../adapters/mail/reports/TlsJson.ts"
import { Refusal } from "../../../adapters/mail/reports/Unpack.ts"
import { dmarcRecord, dmarcXml, tlsJson } from "../../contract/MailReportReader.ts"

/** The parsed report, or why it is rejected. */
const attempt = <A>(read: () => A): A | string => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Refusal) return error.bound
    throw error
  }
}

const readDmarc = (xml: string) =>
  attempt(() => {
    const bytes = new TextEncoder().encode(xml)
    const reader = new DmarcReader(bytes)
    for (let at = 0; at < bytes.length; at += 100) reader.write(bytes.subarray(at, at + 100))
    return reader.end()
  })

const whole = dmarcXml("shop.test", dmarcRecord("shop.test", 3))

it.each<readonly [string, string, object | string]>([
  [
    "another namespace with a prefix",
    whole.replace("xmlns=", "xmlns:r=").replaceAll(/<(\/?)(\w)/g, "<$1r:$2"),
    { domain: "shop.test" }
  ],
  [
    "no namespace and no declaration",
    whole.replace(/<\?.*?\?>\s*/s, "").replace(/ xmlns="[^"]*"/, ""),
    { domain: "shop.test" }
  ],
  ["a mark of UTF-8 before it", `\ufeff${whole}`, { domain: "shop.test" }],
  [
    "comments and sections that are not known",
    whole.replace("<record>", "<!-- a --><extension><a>1</a></extension><record>"),
    { records: [{ count: 3 }] }
  ],
  [
    "a domain in capitals with a dot",
    whole.replace("<domain>shop.test", "<domain> Shop.Test. "),
    { domain: "shop.test" }
  ],
  ["no domain of its policy", whole.replace(/<policy_published>.*<\/policy_published>/s, ""), "format"],
  ["a name that is none as domain", whole.replace("<domain>shop.test", "<domain>shop test"), "format"],
  ["no name of its reporter", whole.replace(/<org_name>.*<\/email>/s, ""), "format"],
  ["no id", whole.replace("id-1", " "), "format"],
  ["no time", whole.replace(/<begin>\d+/, "<begin>"), "format"],
  ["a time before 1970", whole.replace(/<begin>\d+/, "<begin>-5"), "format"],
  ["no records", dmarcXml("shop.test", ""), { records: [] }],
  [
    "records without the fields that count",
    dmarcXml("shop.test", "<record/><record><row><count>3</count></row></record>"),
    { records: [] }
  ],
  [
    "a record without address, disposition and results",
    dmarcXml(
      "shop.test",
      "<record><row><count>2</count></row><identifiers><header_from>shop.test</header_from></identifiers></record>"
    ),
    {
      records: [
        {
          from: "shop.test",
          network: "",
          disposition: "None",
          dkim: "none",
          spf: "none",
          dkimAligned: false,
          spfAligned: false,
          count: 2
        }
      ]
    }
  ],
  ["an address that is none", whole.replace("192.0.2.10", "mail.example"), { records: [{ network: "" }] }],
  [
    "results that are not known",
    whole.replaceAll("softfail", "unknown").replace("<disposition>none", "<disposition>sampled_out"),
    { records: [{ spf: "none", disposition: "None" }] }
  ],
  [
    "equal records twice, and counts whose sum is no number any more",
    dmarcXml(
      "shop.test",
      [
        dmarcRecord("shop.test", "9007199254740991"),
        dmarcRecord("shop.test", 5),
        dmarcRecord("shop.test", -5)
      ].join("")
    ),
    { records: [{ count: 9_007_199_254_740_991 }] }
  ],
  ["two roots", `${whole}${whole.replace(/<\?.*?\?>\s*/s, "")}`, "format"],
  [
    "entities that XML has not",
    whole.replace("Example Mail", "A&nbsp;&undefined;"),
    { reporter: expect.stringContaining("reports@example.net") as unknown as string }
  ],
  ["a character that texts cannot have", whole.replace("id-1", "id&#0;1"), { domain: "shop.test" }]
])("DMARC with %s", (_, xml, expected) => {
  const found = readDmarc(xml)
  if (typeof expected === "string") expect(found).toBe(expected)
  else expect(found).toMatchObject(expected)
})

const policy = (changes: object = {}) => ({
  policy: { "policy-type": "sts", "policy-domain": "bounces.shop.test" },
  summary: { "total-successful-session-count": 7, "total-failure-session-count": 0 },
  ...changes
})

const failing = (count: unknown) =>
  policy({
    summary: {},
    "failure-details": [{ "result-type": "starttls-not-supported", "failed-session-count": count }]
  })

const readTls = (changes: Record<string, unknown>) =>
  attempt(() => readTlsReport(tlsJson("bounces.shop.test", changes)))

it.each<readonly [string, Record<string, unknown>, ReadonlyArray<number> | string]>([
  ["policies that are no list", { policies: { 0: policy() } }, "format"],
  ["no policies", { policies: [] }, "format"],
  ["policies of other types", { policies: [null, 7, "x", [policy()], policy()] }, [7]],
  ["a policy without a domain", { policies: [policy({ policy: { "policy-type": "sts" } })] }, []],
  [
    "a domain of another type",
    { policies: [policy({ policy: { "policy-type": "sts", "policy-domain": ["bounces.shop.test"] } })] },
    []
  ],
  [
    "a type of policy that is not known",
    { policies: [policy({ policy: { "policy-type": "dane", "policy-domain": "bounces.shop.test" } })] },
    []
  ],
  ["a summary that is a list", { policies: [policy({ summary: [7] })] }, []],
  ["the same policy twice", { policies: [policy(), policy()] }, [14]],
  ["a number in digits", { policies: [failing("12")] }, [12]],
  ["a number that is true", { policies: [failing(true)] }, []],
  ["a number in a list", { policies: [failing([5])] }, []],
  ["a negative number", { policies: [failing(-5)] }, []],
  ["a fraction", { policies: [failing(1.5)] }, []],
  ["a number beyond all", { policies: [failing(1e300)] }, []],
  [
    "numbers whose sum is no number any more",
    { policies: [failing(9_007_199_254_740_991), failing(1)] },
    [9_007_199_254_740_991]
  ],
  [
    "details that are no list",
    { policies: [policy({ "failure-details": { "failed-session-count": 3 } })] },
    [7]
  ],
  ["a reporter of another type", { "organization-name": ["x"], "contact-info": 7 }, "format"],
  ["an id of another type", { "report-id": 17 }, "format"],
  ["a range that is a text", { "date-range": "2026-01-01" }, "format"],
  ["a time that is none", { "date-range": { "start-datetime": "yesterday" } }, "format"],
  [
    "a nest of 13 lists",
    { policies: [policy()], x: JSON.parse("[".repeat(12) + "]".repeat(12)) as unknown },
    "depth"
  ],
  ["a name of the prototype", { ["__proto__" as string]: { policies: [] }, policies: [policy()] }, [7]]
])("TLS with %s", (_, changes, expected) => {
  const found = readTls(changes)
  expect(typeof found === "string" ? found : found.records.map(({ count }) => count)).toEqual(expected)
})
