/**
 * The texts of a company's settings, its identity providers, and of the account's use and archive in English.
 *
 * @module
 */

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. */
export const companyEn = {
  company: {
    general: "Company",
    name: "Name",
    factors: "Members need a second factor",
    factorsHint: "Whoever has none sets one up at the next sign-in, before anything else.",
    auditDays: "Days until entries of the audit log are deleted",
    auditDaysHint: "90 to 3,650.",
    brand: "Brand",
    brandText: "What emails and hosted pages may show of the company. Empty fields show nothing.",
    brandName: "Name that people know",
    logo: "Logo",
    noLogo: "None yet. PNG, JPEG, GIF or WebP.",
    chooseLogo: "Upload a logo",
    uploading: "Uploading",
    removeLogo: "Remove",
    accent: "Accent colour",
    background: "Background colour",
    textColour: "Text colour",
    colourHint: "Such as #5048D0.",
    choose: "Choose",
    address: "Postal address",
    footer: "Footer",
    saved: "Company saved",
    brandSaved: "Brand saved",
    remove: "Delete this company",
    removeText:
      "Its keys, its SMTP logins and its sending stop at once. It can be restored for 30 days, then everything in it is erased.",
    removeTitle: (name: string) => `Delete ${name}?`,
    removeSentence: (live: string, liveCount: number, sandbox: string, keys: string, keyCount: number) =>
      `Stops ${keys} ${plural(keyCount, "key", "keys")}, SMTP and all sending at once. In 30 days it erases ${live} ${plural(liveCount, "person", "people")} of the live account and ${sandbox} of the sandbox, with their emails, orders and flows. Until then it can be restored.`,
    removed: (name: string) => `${name} was deleted`,
    deleted: (until: string) =>
      `This company was deleted. It can be restored until ${until}; then it is erased.`,
    restore: "Restore",
    restored: "The company was restored"
  },
  providers: {
    tab: "Sign-in",
    text: "Members of these domains sign in at your identity provider (OpenID Connect).",
    none: "No identity provider yet.",
    add: "Add a provider",
    addText: "Register this service at the provider first. Its redirect address is shown after you add it.",
    name: "Name",
    nameHint: "Shown on its button, such as Acme Login.",
    issuer: "Issuer",
    issuerHint: "The https address of its discovery document, without /.well-known.",
    clientId: "Client id",
    clientSecret: "Client secret",
    domains: "Domains of addresses",
    domainsHint: "Several are separated by commas, such as acme.example.",
    role: "Role of people who sign in the first time",
    noRole: "None: they must be invited",
    required: "No other way to sign in",
    requiredHint: "Passwords and passkeys stop for these domains, except those of Owners.",
    isRequired: "Required",
    redirect: "Redirect address",
    redirectTitle: (name: string) => `${name} was added`,
    redirectText: "Register this redirect address at the provider, then try the sign-in.",
    remove: "Remove",
    removeTitle: (name: string) => `Remove ${name}?`,
    removeText: "Nobody can sign in with it any more. Sessions go on until they end.",
    removed: (name: string) => `${name} was removed`
  },
  usage: {
    title: "Usage",
    contacts: "People",
    emails: "Emails today",
    of: (used: string, limit: string) => `${used} of ${limit}`,
    unlimited: (used: string) => `${used}, no limit`
  },
  erasure: {
    before: (date: string) => `Now: what is older than ${date}.`,
    never: "Nothing is kept."
  },
  archive: {
    title: "Account as a file",
    text: "Settings, topics, fields, segments, templates, flows, people with their consent, suppressions and the catalogue. No secrets, no emails.",
    export: "Export",
    exportDone: "The archive was saved",
    import: "Import",
    importTitle: "Import an archive",
    importText: "What the account has already stays; a line that was imported before changes nothing.",
    file: "Archive",
    noFile: "Choose the file of an export.",
    imported: (added: string, changed: string, unchanged: string) =>
      `${added} added, ${changed} changed, ${unchanged} unchanged.`,
    refused: (shown: string, count: number) =>
      `${shown} ${plural(count, "line was", "lines were")} rejected:`,
    line: (shown: string) => `Line ${shown}`
  }
}
