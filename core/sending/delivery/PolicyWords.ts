/**
 * Recognises replies that speak of a block list, of the sender's reputation, of a policy or of a rate: they say nothing
 * about the address they reject, whatever their code (docs/contributing/decisions.md 5). Pure and linear.
 *
 * @module
 */

/** The most characters that are read of a reply, and of a report's text for people. */
const maxText = 2_000
const maxReport = 8_192

/** Block lists, by their names or in general, and reputation. These count in a link as well. */
const lists: ReadonlyArray<RegExp> = [
  /\b(?:black|block|deny|white|allow|safe)[ _-]?list/i,
  /\b(?:lista negra|liste noire|schwarze liste|sperrliste)\b/i,
  /\b\w{0,12}(?:dnsbl|rbl|[csx]bl)s?\b/i,
  /\b(?:uribl|surbl|pbl|dbl)\b/i,
  /spam(?:haus|cop|rl\b)|\bsorbs\b|cloudmark|barracudacentral|sender(?:score|base)|abuseat|abusix|uceprotect|mailspike/i,
  /\binvaluement\b|hostkarma|junkemailfilter|backscatterer|mail-abuse|ipcheck\.proofpoint/i,
  /\breputation\b/i
]

/** Policies, rates, and other reasons that concern the sender, the message or the connection. */
const reasons: ReadonlyArray<RegExp> = [
  /\bpolic(?:y|ies)\b|\bprohibit|\badministrative(?:ly)?\b|\bsecurity (?:reason|issue|violation|check)/i,
  /\bspam|\bunsolicited\b|\bbulk\b|\bjunk|\bphish|\bvirus|\bmalware\b|\bmalicious\b|\bsuspicious\b/i,
  /\bcomplaints?\b|\babus(?:e|ive)\b|\bcontent\b/i,
  /\brate\b|\brate[ -]?limit|\bthrottl|\btoo (?:many|fast|quickly|much|frequent)|\bfrequency\b|\bunusual\b/i,
  /\b(?:sending|message|connection|hourly|daily|volume)s? (?:limit|quota)/i,
  // A blocked mailbox is one that takes no mail, by no fault of the sender.
  /(?<!\b(?:mailbox|account|user|recipient) (?:is |was |has been )?)\b(?:blocked|blocking|banned|gesperrt)\b/i,
  /(?<!\bnot )\blisted (?:at|by|on|in|as)\b/i,
  /\baccess (?:is |was )?denied\b|\bpoor sender\b/i,
  /\bclient (?:host|address|ip)\b|\b(?:sending|connecting|source) (?:host|server|ip|domain|mta|address)\b/i,
  /\byour (?:ip|host|server|domain|network|mail ?server|e-?mail provider|access)\b/i,
  /\bsender\b[^.;]{0,40}\b(?:reject|denied|refus|verif|invalid|unknown|not |domain|address)/i,
  /\b(?:spf|dkim|dmarc|ptr|rdns|reverse dns|helo|ehlo|starttls|tls|authenticat\w{0,12}|unauthori[sz]ed)\b/i,
  /\bnot (?:allowed|authori[sz]ed|permitted) to (?:send|submit|deliver|connect)\b/i,
  /\brelaying\b|\brelay (?:access|not|denied|prohibited|attempt)|\b(?:to|not|cannot|no) relay\b/i,
  // The codes of providers, and a status of policy further on in the text.
  /\[(?:TSS?|IPTS|BL|AU|VS)\d+\]|\bS31[45]0\b|\b(?:RTR|CON|RLY|DYN|HVU):|\bDT:SPM|\bAS\(?\d{3}|\bBL00\d/,
  /\b(?:DY|OU|SC|RP)-00\d\b|\bRL0000/,
  /(?<![\d.])[45]\.7\.\d{1,3}(?!\.?\d)/
]

const link = /\bhttps?:\/\/[^\s<>"]{1,500}|\bwww\.[^\s<>"]{1,500}/gi

/** A reference to a page for people, which may be called a policy: "see our policy at https://...". */
const reference =
  /\b(?:see|visit|read|refer|consult|check|go to)\b[^.;!?:]{0,60}(?:\bhttps?:\/\/|\bwww\.)[^\s<>"]{1,500}/gi

/** Addresses are of people and hosts of any name: `policy@example.org`. */
const address = /<[^<>\s]{0,320}>|[^\s<>@"(),;:]{1,64}@[^\s<>@"(),;:]{1,255}/g

const some = (patterns: ReadonlyArray<RegExp>, text: string): boolean =>
  patterns.some((pattern) => pattern.test(text))

/** Whether a reply's text speaks of a block list, reputation, policy or rate. */
export const speaksOfPolicy = (text: string): boolean => {
  const read = text.slice(0, maxText).replace(address, " ")
  if (some(lists, read)) return true
  // What a page is called and where it is says nothing about the reason.
  return some(reasons, read.replace(reference, " ").replace(link, " "))
}

/** Whether a text names a block list or speaks of reputation, in words that are in no report by chance. */
export const namesBlockList = (text: string): boolean =>
  some(lists, text.slice(0, maxReport).replace(address, " "))
