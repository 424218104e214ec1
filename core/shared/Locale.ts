/**
 * Country codes (ISO 3166-1), languages (BCP 47) and IP addresses.
 *
 * @module
 */

const countries = new Set(
  (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ " +
    "CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO " +
    "FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE " +
    "JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO " +
    "MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW " +
    "PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM " +
    "TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW"
  ).split(" ")
)

/** Parses an ISO 3166-1 alpha-2 code in any case; null if it is invalid. */
export const parseCountry = (text: string): string | null => {
  const code = text.trim().toUpperCase()
  return countries.has(code) ? code : null
}

/** Parses a BCP 47 language tag into its canonical form; null if it is invalid. */
export const parseLanguage = (text: string): string | null => {
  const tag = text.trim()
  if (tag === "" || tag.length > 100) return null
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch {
    return null
  }
}

/** Parses the IANA name of a time zone into its usual spelling; null if it is invalid. Offsets are not accepted. */
export const parseTimeZone = (text: string): string | null => {
  const name = text.trim()
  if (name.length > 64 || !/^[A-Za-z]/.test(name)) return null
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** Whether a string is an IPv4 or IPv6 address. */
export const isIpAddress = (text: string): boolean => {
  if (ipv4.test(text)) return true
  if (text.length > 45 || !/^[0-9A-Fa-f:.]+$/.test(text) || !text.includes(":")) return false
  try {
    return new URL(`http://[${text}]`).hostname !== ""
  } catch {
    return false
  }
}
