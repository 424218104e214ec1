/**
 * ISO 4217 currency codes.
 *
 * @module
 */

/** The codes in use, and those withdrawn since 2020, which catalogues and old orders still contain. */
const currencies = new Set(
  (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF " +
    "CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD " +
    "GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP " +
    "LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN " +
    "PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS " +
    "TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW " +
    "ZWG ZWL"
  ).split(" ")
)

/** Parses an ISO 4217 code in any case; null if it is invalid. */
export const parseCurrency = (text: string): string | null => {
  const code = text.trim().toUpperCase()
  return currencies.has(code) ? code : null
}

const digits = new Map<string, number>()

/** The number of decimal places of a currency's amounts: 2 for EUR, 0 for JPY. */
export const minorDigits = (currency: string): number => {
  let known = digits.get(currency)
  if (known === undefined) {
    const format = new Intl.NumberFormat("en", { style: "currency", currency })
    digits.set(currency, (known = format.resolvedOptions().maximumFractionDigits ?? 2))
  }
  return known
}
