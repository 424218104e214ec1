/**
 * The messages of the service in German, by the English message in `core/shared/Problem.ts` and `core/explain/Reasons.ts`, with
 * placeholders in braces; and the phrases that placeholders stand for.
 *
 * @module
 */

/** The messages. */
export const saidDe: Readonly<Record<string, string>> = {
  "The account must have at most {max} active API keys; revoke one that is not used.":
    "Das Konto hat schon {max} aktive API-Schlüssel. Widerrufen Sie einen, der nicht benutzt wird.",
  "{value} is not a permission; the permissions are {known}.":
    "Die Berechtigung {value} gibt es nicht. Es gibt {known}.",
  "The first line must be the header of an archive that this version can read.":
    "Die erste Zeile ist nicht der Kopf eines Archivs, das diese Version lesen kann.",
  "The line must be a line of an archive.": "Die Zeile ist keine Zeile eines Archivs.",
  "Connect store {value} to the account first: the line names it by platform and domain.":
    "Verbinden Sie zuerst den Shop {value} mit dem Konto: Die Zeile nennt ihn mit Plattform und Domain.",
  "The contact field {key} is archived: it can be read, but not written before PATCH /api/v1/contact-attributes/{key} sets archived to false.":
    "Das Kontaktfeld {key} ist archiviert: Es kann gelesen, aber nicht geschrieben werden. Stellen Sie es zuerst wieder her.",
  "The contact field is archived.": "Das Kontaktfeld ist archiviert.",
  "The account already has a contact field {value}.": "Das Konto hat schon ein Kontaktfeld {value}.",
  "{value} is not a key: it must be 1 to 40 lowercase letters, digits and underscores, beginning with a letter.":
    "{value} ist kein Schlüssel: Er besteht aus 1 bis 40 Kleinbuchstaben, Ziffern und Unterstrichen und beginnt mit einem Buchstaben.",
  "key must be 1 to 40 lowercase letters, digits and underscores, beginning with a letter.":
    "Ein Schlüssel besteht aus 1 bis 40 Kleinbuchstaben, Ziffern und Unterstrichen und beginnt mit einem Buchstaben.",
  "The account must have at most {max} contact fields, archived ones included; use one of those that it has.":
    "Das Konto hat schon {max} Kontaktfelder, archivierte eingeschlossen. Benutzen Sie eines davon.",
  "The account has no contact field with this key; GET /api/v1/contact-attributes lists those it has.":
    "Das Konto hat kein Kontaktfeld mit diesem Schlüssel.",
  "{value} is the name of a built-in field; choose another key.":
    "{value} ist der Name eines eingebauten Feldes. Wählen Sie einen anderen Schlüssel.",
  "{key} is the name of a built-in field, which is not an attribute.":
    "{key} ist der Name eines eingebauten Feldes.",
  "{key} must be {expected}, at most {max} long.": "{key}: Erwartet wird {expected}, höchstens {max} lang.",
  "The value must have the type of the contact field.": "Der Wert hat nicht den Typ des Kontaktfeldes.",
  "The account has no contact field {key}; create it with POST /api/v1/contact-attributes, or correct the key.":
    "Das Konto hat kein Kontaktfeld {key}. Legen Sie es an, oder berichtigen Sie den Schlüssel.",
  "The key must be that of a contact field of the account.":
    "Der Schlüssel ist der keines Kontaktfeldes des Kontos.",
  "consent.proof.text must be the exact words agreed to when the basis is Subscribed.":
    "Geben Sie den genauen Wortlaut an, dem zugestimmt wurde.",
  "email must be given for a new contact.": "Ein neuer Kontakt braucht eine E-Mail-Adresse.",
  "email must not be the address of an erased person. Imports, and with keepErased all writes, do not add erased people again.":
    "Die Person mit dieser Adresse wurde gelöscht und wird nicht wieder hinzugefügt.",
  "The contact must have an email address.": "Der Kontakt hat keine E-Mail-Adresse.",
  "The identifiers must belong to one contact; they belong to two. Send only one of them, or correct one contact first.":
    "Die Kennungen gehören zu zwei Kontakten. Geben Sie nur eine an, oder berichtigen Sie zuerst einen Kontakt.",
  "The account has {max} contacts, the limit of its setting contactLimit: erase some, or raise it.":
    "Das Konto hat {max} Kontakte, so viele wie seine Einstellung contactLimit erlaubt: Löschen Sie welche, oder erhöhen Sie sie.",
  "The account has reached its limit of contacts.": "Das Konto hat so viele Kontakte, wie es haben darf.",
  "The account has no such contact.": "Das Konto hat keinen solchen Kontakt.",
  "A connected store manages this contact's email, id and consent: change them there. Unsubscribing is always possible.":
    "Ein verbundener Shop verwaltet E-Mail-Adresse, Kennung und Einwilligung dieses Kontakts: Ändern Sie sie dort. Abmelden ist immer möglich.",
  "The file has two columns {value}: their names must be unique.":
    "Die Datei hat zwei Spalten {value}: Jede braucht einen eigenen Namen.",
  "Column names must be unique; the file has two columns with this name.":
    "Die Datei hat zwei Spalten mit diesem Namen: Jede braucht einen eigenen.",
  "The file has no column {value}: name a column as the first row has it.":
    "Die Datei hat keine Spalte {value}: Nennen Sie eine, wie sie in der ersten Zeile steht.",
  "The column must be a column of the file.": "Die Datei hat diese Spalte nicht.",
  "The file must be encoded in UTF-8.": "Die Datei muss in UTF-8 gespeichert sein.",
  "There must be at most {max} views of the list; delete one that is not used.":
    "Es gibt schon {max} Ansichten der Liste. Löschen Sie eine, die nicht benutzt wird.",
  "The job has ended.": "Der Auftrag ist schon beendet.",
  "The import has ended.": "Der Import ist schon beendet.",
  "The file's first row must name its columns, at most 500.":
    "Die erste Zeile der Datei muss ihre Spalten nennen, höchstens 500.",
  "A column must be mapped to email, externalId or id.":
    "Ordnen Sie eine Spalte email, externalId oder id zu.",
  "A column must be mapped to a contact field, attributes.<key>, topics.<key>, consent.basis, consent.proof.<field> or ignored.":
    "Eine Spalte wird einem Kontaktfeld zugeordnet, attributes.<Schlüssel>, topics.<Schlüssel>, consent.basis, consent.proof.<Feld> oder ignored.",
  "A quote that begins on this line must be closed.":
    "Ein Anführungszeichen, das in dieser Zeile beginnt, wird nicht geschlossen.",
  "The row has {found} fields, and the header {expected}: the row must have as many.":
    "Die Zeile hat {found} Felder und die Kopfzeile {expected}: Es müssen gleich viele sein.",
  "The row must have as many fields as the header.":
    "Die Zeile muss so viele Felder haben wie die Kopfzeile.",
  "The row must be at most 512 KB; often a quote that begins on this line is not closed.":
    "Die Zeile darf höchstens 512 KB groß sein; oft fehlt das schließende Anführungszeichen.",
  "Two columns are mapped to {value}; map one of them to ignored.":
    "Zwei Spalten sind {value} zugeordnet. Lassen Sie eine davon weg.",
  "Two columns must not be mapped to the same field.": "Zwei Spalten sind demselben Feld zugeordnet.",
  "The contact has an active run of this flow: wait until it ends, or stop it.":
    "Der Kontakt hat schon einen laufenden Lauf dieses Ablaufs: Warten Sie, bis er endet, oder halten Sie ihn an.",
  "A duration must be ISO 8601 weeks, days, hours, minutes or seconds, such as P3D or PT90M, at most 366 days.":
    "Eine Dauer wird nach ISO 8601 in Wochen, Tagen, Stunden, Minuten oder Sekunden angegeben, etwa P3D oder PT90M, höchstens 366 Tage.",
  "An event's name must be 1 to 64 lowercase letters, digits, underscores and dots, beginning with a letter.":
    "Der Name eines Ereignisses besteht aus 1 bis 64 Kleinbuchstaben, Ziffern, Unterstrichen und Punkten und beginnt mit einem Buchstaben.",
  "The flow is archived and cannot be changed or published again: create a new one.":
    "Der Ablauf ist archiviert und kann nicht mehr geändert oder veröffentlicht werden: Legen Sie einen neuen an.",
  "The account must have at most 500 flows.": "Das Konto hat schon 500 Abläufe.",
  "The account must have at most 20 published flows that segments start.":
    "Das Konto hat schon 20 veröffentlichte Abläufe, die mit einem Segment beginnen.",
  "The flow's definition must be at most 1 MB.": "Der Ablauf darf höchstens 1 MB groß sein.",
  "The run has ended already.": "Der Lauf ist schon beendet.",
  "Another step of the flow has the id {value}.": "Ein anderer Schritt des Ablaufs hat die ID {value}.",
  "Every step must be reachable; no run reaches this one.": "Kein Lauf erreicht diesen Schritt.",
  "{value} is not a time zone: timeZone must be an IANA time zone, such as Europe/Berlin.":
    "{value} ist keine Zeitzone. Geben Sie eine an wie Europe/Berlin.",
  "Steps must be nested at most 10 levels deep.":
    "Schritte dürfen höchstens 10 Ebenen tief geschachtelt sein.",
  "The flow must have at most 200 steps.": "Der Ablauf darf höchstens 200 Schritte haben.",
  "topic is only for Marketing emails: leave it out, or set purpose to Marketing.":
    "Nur eine werbliche E-Mail hat ein Thema: Lassen Sie es weg, oder setzen Sie den Zweck auf Marketing.",
  "url must be a public https URL; SVC_WEBHOOK_ALLOW_PRIVATE=true allows any other while you develop.":
    "Die Adresse muss eine öffentliche https-Adresse sein.",
  "The flow is not published: publish it with POST /manage/v1/accounts/<id>/flows/<id>/publish; an archived flow cannot be published.":
    "Der Ablauf ist nicht veröffentlicht. Veröffentlichen Sie ihn; ein archivierter kann es nicht werden.",
  "A campaign is approved by a signed-in user other than the one who changed it last.":
    "Eine Kampagne gibt frei, wer angemeldet ist und sie nicht zuletzt geändert hat.",
  "Another user must approve the campaign as it is now, for an audience of this size.":
    "Eine andere Person muss die Kampagne freigeben, wie sie jetzt ist und für so viele Empfänger.",
  "The segments of audience select no one now; choose others.":
    "Die Segmente wählen zurzeit niemanden aus. Wählen Sie andere.",
  "audience must have at least one segment.": "Wählen Sie mindestens ein Segment.",
  "audience must select at most {max} people, the limit of this storage; PostgreSQL has no such limit.":
    "Die Kampagne darf höchstens {max} Personen auswählen, so viele wie dieser Speicher fasst; PostgreSQL hat keine solche Grenze.",
  "content must have either templateId or a subject with html or text, and not both.":
    "Eine Kampagne hat entweder eine Vorlage oder einen Betreff mit HTML oder Text.",
  "content must render for the people in the audience; it failed for some or all of those that were tested. Campaigns have no event. params have the line and column, if known.":
    "Der Inhalt lässt sich für die Personen, mit denen es versucht wurde, nicht oder nur für einen Teil von ihnen darstellen. Kampagnen haben kein event.",
  "content must be given.": "Geben Sie den Inhalt an.",
  "An email of a campaign cannot be sent again: a campaign sends it once to each person.":
    "Die E-Mail einer Kampagne kann nicht erneut gesendet werden: Jede Person bekommt sie einmal.",
  "The html is 100 KB or larger: Gmail shows only its beginning.":
    "Das HTML hat 100 KB oder mehr: Gmail zeigt nur den Anfang.",
  "Each image should have alternative text (alt), which many people see first or hear.":
    "Jedes Bild sollte einen Alternativtext haben: Viele sehen ihn zuerst oder hören ihn.",
  "The account must have at most 20,000 campaigns, of which at most 50 are sent at the same time.":
    "Das Konto darf höchstens 20.000 Kampagnen haben, von denen höchstens 50 zugleich gesendet werden.",
  "Links should begin with https, lead to a public host and contain no remaining braces.":
    "Links sollten mit https beginnen, zu einem öffentlichen Server führen und keine geschweiften Klammern mehr enthalten.",
  "For some people the local time of the schedule has passed.":
    "Für einige Personen ist die Ortszeit des Plans schon vorbei.",
  "More than 10 % of the people already had as many marketing emails as a frequency cap allows.":
    "Mehr als 10 % der Personen haben so viele Werbemails bekommen, wie eine Obergrenze erlaubt.",
  "More than half of the people cannot get this campaign now.":
    "Mehr als die Hälfte der Personen kann diese Kampagne zurzeit nicht bekommen.",
  "The status of the campaign does not allow this change.":
    "Der Zustand der Kampagne lässt diese Änderung nicht zu.",
  "More than half of these people get another campaign within 24 hours.":
    "Mehr als die Hälfte dieser Personen bekommt binnen 24 Stunden eine andere Kampagne.",
  "The brand has no postal address, which marketing email must show in many countries.":
    "Die Marke hat keine Postanschrift, die Werbung in vielen Ländern zeigen muss.",
  "Without a preheader, mail programs show the beginning of the content next to the subject.":
    "Ohne Vorschautext zeigen Mailprogramme neben dem Betreff den Anfang des Inhalts.",
  "schedule must not be in the past.": "Der Zeitpunkt darf nicht in der Vergangenheit liegen.",
  "audience must name segments that exist.": "Ein gewähltes Segment gibt es nicht mehr.",
  "Another campaign of the account has this slug.":
    "Eine andere Kampagne des Kontos hat schon diesen Kurznamen.",
  "The account's marketing email is held because of its standing; no campaign starts until the hold is lifted.":
    "Die Werbung des Kontos ist wegen seiner Reputation angehalten; bis das endet, beginnt keine Kampagne.",
  "The status of the campaign does not allow this.": "Der Zustand der Kampagne lässt das nicht zu.",
  "With this pace and the account's daily limit, sending takes more than a day.":
    "Beim Tempo und mit der Tagesgrenze des Kontos dauert das Senden länger als einen Tag.",
  "The content has no text; a text part is made from the html.":
    "Der Inhalt hat keinen Text; er wird aus dem HTML erzeugt.",
  "A test can be sent only to members of the company and to the account's testAddresses.":
    "Ein Test geht nur an Mitglieder des Unternehmens und an die Testadressen des Kontos.",
  "At most 100 test emails of campaigns are sent in a day.":
    "Am Tag werden höchstens 100 Test-E-Mails von Kampagnen gesendet.",
  "A test that sends the winner to the rest cannot have a schedule with localTime.":
    "Ein Test, dessen Gewinner der Rest bekommt, kann nicht nach Ortszeit geplant werden.",
  "The link to unsubscribe must be visible; the html hides it.":
    "Der Link zum Abmelden muss sichtbar sein; das HTML verbirgt ihn.",
  "name must be given for a new item.": "Ein neuer Artikel braucht einen Namen.",
  "The catalogue has no item with this id.": "Der Katalog hat keinen Artikel mit dieser ID.",
  "A price must be a number of 0 or more, with at most 15 digits before and after the point.":
    "Ein Preis ist eine Zahl ab 0 mit höchstens 15 Stellen vor und nach dem Komma.",
  "The address must be an http or https URL.": "Die Adresse muss eine http- oder https-Adresse sein.",
  "The catalogue must have at most 100,000 items.": "Der Katalog darf höchstens 100.000 Artikel haben.",
  "{value} is not a currency: currency must be an ISO 4217 code, such as EUR.":
    "{value} ist keine Währung. Geben Sie einen Code nach ISO 4217 an, etwa EUR.",
  "currency must be an ISO 4217 code, such as EUR.": "Geben Sie eine Währung nach ISO 4217 an, etwa EUR.",
  "The content of the event is not stored, so it cannot be replayed; the store must send it again.":
    "Der Inhalt des Ereignisses ist nicht mehr da: Der Shop muss es erneut senden.",
  "The store is disconnected: connect it again first.":
    "Der Shop ist getrennt. Verbinden Sie ihn zuerst wieder.",
  "The store's data is being erased; the store can be connected once the erasure has ended.":
    "Die Daten des Shops werden gerade gelöscht; danach kann er verbunden werden.",
  "The store {value} of that platform is already connected: use its token, or delete it first.":
    "Der Shop {value} dieser Plattform ist schon verbunden: Benutzen Sie sein Token, oder trennen Sie ihn zuerst.",
  "A store of that platform and domain is already connected.":
    "Ein Shop dieser Plattform und Domain ist schon verbunden.",
  "The account must have at most 100 stores.": "Das Konto hat schon 100 Shops.",
  "The request body must be at most {max} bytes.": "Die Anfrage darf höchstens {max} Bytes groß sein.",
  "The request body is too large.": "Die Anfrage ist zu groß.",
  "It was changed in the meantime; read it again and repeat the change with its new ETag.":
    "Das wurde inzwischen geändert. Laden Sie es neu, und ändern Sie es noch einmal.",
  "Nothing was found for {field}: its value does not exist, has ended or was deleted, or belongs to another account or company.":
    "Zu {field} wurde nichts gefunden: Den Wert gibt es nicht, nicht mehr, oder er gehört zu einem anderen Konto.",
  "Nothing was found for {route}: an id in the path does not exist, was deleted, or belongs to another account or company.":
    "Nichts gefunden: Die Adresse ist unbekannt, von etwas Gelöschtem, oder von einem anderen Konto.",
  "Not found.": "Nichts gefunden.",
  "The limit of {limit} calls in a minute is reached; wait as long as the header Retry-After says.":
    "Die Grenze von {limit} Aufrufen in einer Minute ist erreicht. Warten Sie kurz.",
  "The limit of calls in this minute is reached.":
    "Die Grenze der Aufrufe in dieser Minute ist erreicht. Warten Sie kurz.",
  "Expensive reads use the account's whole share of the database; try again later.":
    "Aufwendige Abfragen belegen den ganzen Anteil des Kontos an der Datenbank; versuchen Sie es später noch einmal.",
  "The account has 20 open streams, which is the maximum; close one first.":
    "Das Konto hat 20 offene Live-Ansichten, so viele wie möglich; schließen Sie zuerst eine.",
  "The service is temporarily unavailable; try again later.":
    "Der Dienst ist vorübergehend nicht verfügbar. Versuchen Sie es später erneut.",
  "The account already has the domain {value}.": "Das Konto hat die Domain {value} schon.",
  "The account already has this domain.": "Das Konto hat diese Domain schon.",
  "{value} is not a domain name from which email can be sent, such as example.com.":
    "Von {value} kann nicht gesendet werden. Geben Sie eine Domain an wie example.com.",
  "domain must be a domain name that email can be sent from.":
    "Geben Sie eine Domain an, von der gesendet werden kann.",
  "Give one of provider, site and domain: the key of a provider of the table, a site, or a recipient's domain.":
    "Nennen Sie entweder einen Anbieter, einen Server oder die Domain von Empfängern.",
  "The pool must be the key of an existing pool.": "Diesen Pool gibt es nicht.",
  "A pool can be deleted only when no source, no other pool and no account uses it. The pool default stays.":
    "Ein Pool lässt sich löschen, wenn keine Adresse, kein anderer Pool und kein Konto ihn benutzt. Der Pool default bleibt.",
  "There is a pool with this key already.": "Einen Pool mit diesem Schlüssel gibt es schon.",
  "There is a source with this address already.": "Eine Sendeadresse mit dieser IP-Adresse gibt es schon.",
  "address must be an IPv4 or IPv6 address of one of the installation's machines.":
    "Geben Sie eine IPv4- oder IPv6-Adresse eines Rechners dieser Installation an.",
  "There must be at most {max}; delete one that is not used.":
    "Es gibt schon {max}. Löschen Sie etwas, das nicht benutzt wird.",
  "until must be a time within the next 5 days.": "Der Zeitpunkt muss in den nächsten 5 Tagen liegen.",
  "{count} deliveries are held: confirm must be this number.":
    "{count} Zustellungen sind angehalten. Bestätigen Sie diese Zahl.",
  "The records of a live domain contain the mail host name of this installation: set SVC_SMTP_HOST to a public name, and restart the service.":
    "Für eine Live-Domain fehlt der Rechnername dieser Installation: Setzen Sie SVC_SMTP_HOST auf einen Namen, den andere auflösen können, und starten Sie den Dienst neu.",
  "The sender's domain must pass the checks of GET /manage/v1/accounts/{accountId}/alignment that large providers require.":
    "Die Domain des Absenders besteht die Prüfungen nicht, die große Anbieter verlangen.",
  "from must be an address on a verified domain of the account.":
    "Der Absender muss eine Adresse auf einer bestätigten Domain des Kontos sein.",
  "The image must not be used by a template, a campaign, a flow or the brand; remove it there first.":
    "Eine Vorlage, eine Kampagne, ein Ablauf oder die Marke benutzt das Bild; nehmen Sie es dort zuerst heraus.",
  "An account must have at most 2,000 images; delete those that are not used.":
    "Das Konto hat schon 2.000 Bilder. Löschen Sie welche, die nicht benutzt werden.",
  "The image must have at most 25,000,000 pixels, and at most 10,000 on a side; make it smaller.":
    "Das Bild darf höchstens 25.000.000 Pixel haben und 10.000 auf einer Seite. Verkleinern Sie es.",
  "The file must be a PNG, JPEG, GIF or WebP image; SVG is not supported.":
    "Die Datei muss ein Bild im Format PNG, JPEG, GIF oder WebP sein.",
  "A built-in segment cannot be changed or deleted.":
    "Ein eingebautes Segment kann weder geändert noch gelöscht werden.",
  "{value} is not a field for segments; it must be a built-in, attributes.<key>, topics.<key> or events.<name> that exists.":
    "{value} ist kein Feld von Segmenten.",
  "The segment is used by a flow, or by a campaign that is scheduled, sent or paused: archive or cancel it first.":
    "Ein Ablauf benutzt das Segment, oder eine Kampagne, die geplant, gesendet oder angehalten ist: Archivieren Sie ihn, oder brechen Sie sie ab.",
  "The account has no such segment; GET /manage/v1/accounts/<id>/segments lists those it has.":
    "Das Konto hat kein solches Segment.",
  "operator must be an operator of the field.": "Dieses Feld hat diesen Vergleich nicht.",
  "rules must have at most 50 rules.": "Ein Segment darf höchstens 50 Regeln haben.",
  "With {operator} of {of}, value must be {expected}.":
    "Bei {operator} von {of} wird als Wert erwartet: {expected}.",
  "With {operator}, value must be {expected}.": "Bei {operator} wird als Wert erwartet: {expected}.",
  "value must be a value of the operator.": "Der Wert passt nicht zum Vergleich.",
  "The owner must have at most {max} relays; delete one that is not used.":
    "Es gibt schon {max} Relays. Löschen Sie eines, das nicht benutzt wird.",
  'delivery must name 1 to 5 different ways of each stream: "Direct", or "relay:" with the id of a relay that the company may use for it.':
    "Wählen Sie für jede Art von E-Mail 1 bis 5 verschiedene Wege.",
  "url must be smtp:// or smtps:// with a host, and with the password itself where it has one; a company's must be a public server at port 25, 465, 587, 2465, 2525 or 2587, without verify=false.":
    "Die Adresse muss mit smtp:// oder smtps:// beginnen und einen Server nennen, mit Passwort, wo er eines verlangt; der eines Unternehmens muss öffentlich sein, an Port 25, 465, 587, 2465, 2525 oder 2587, ohne verify=false.",
  "The email's content or recipients were erased when their retention ended.":
    "Inhalt oder Empfänger der E-Mail wurden am Ende ihrer Aufbewahrung gelöscht.",
  "The email has no link that could be clicked.": "Die E-Mail hat keinen Link, dem gefolgt werden könnte.",
  "The email has no queued delivery, and only those can be cancelled.":
    "Nichts von der E-Mail wartet noch; nur was wartet, lässt sich abbrechen.",
  "The email has no delivery that is held for review, or it was decided already.":
    "Nichts von der E-Mail wartet auf die Prüfung, oder es ist schon entschieden.",
  "day must be one without a rate for the provider and domain, or the entry must have replace.":
    "Für diesen Tag, Anbieter und diese Domain gibt es schon einen Wert.",
  "The account's marketing is not held.": "Die Werbung des Kontos ist nicht angehalten.",
  "The account must have at most 100 segments of its own; delete one that is not used.":
    "Das Konto hat schon 100 eigene Segmente. Löschen Sie eines, das nicht benutzt wird.",
  "The account's queue must hold at most ten days of its daily limit; try again later, or raise its setting dailySendLimit.":
    "Das Konto hat schon so viele E-Mails, wie es in zehn Tagen senden darf. Versuchen Sie es später erneut, oder erhöhen Sie die Einstellung dailySendLimit.",
  "An email must have at most {max} recipients, to, cc and bcc together.":
    "Eine E-Mail darf höchstens {max} Empfänger haben.",
  "The template does not parse at line {line}, column {column}: {reason}.":
    "Die Vorlage ist in Zeile {line}, Spalte {column} fehlerhaft: {reason}.",
  "The account must have at most 1,000 templates; delete one that is not used.":
    "Das Konto hat schon 1.000 Vorlagen. Löschen Sie eine, die nicht benutzt wird.",
  "The template is used by a campaign that is scheduled, sent or paused; cancel it first.":
    "Eine Kampagne, die geplant, gesendet oder angehalten ist, benutzt die Vorlage. Brechen Sie sie zuerst ab.",
  "templateId must be the id of a template of the account; GET /manage/v1/accounts/<id>/templates lists them.":
    "Diese Vorlage hat das Konto nicht.",
  "The template must render with these variables: it took too long or too much memory, or a value does not fit.":
    "Die Vorlage lässt sich damit nicht darstellen: Es dauerte zu lange, brauchte zu viel Speicher, oder ein Wert passt nicht.",
  "There must be at most {max} active tokens; revoke one that is not used.":
    "Es gibt schon {max} aktive Tokens. Widerrufen Sie eines, das nicht benutzt wird.",
  "The token must not have the right {right}, which its creator lacks or has only for a while.":
    "Das Token darf das Recht {right} nicht haben, da es Ihnen fehlt oder nur für eine Weile gegeben ist.",
  "A token must have no right that its creator lacks.": "Ein Token darf kein Recht haben, das Ihnen fehlt.",
  "The topic {key} is archived; leave it out, or restore it first.":
    "Das Thema {key} ist archiviert. Lassen Sie es weg, oder stellen Sie es zuerst wieder her.",
  "The topic must not be archived.": "Das Thema ist archiviert.",
  "A campaign that is scheduled or being sent uses the topic; archive the topic once the campaign has ended.":
    "Eine Kampagne, die geplant ist oder gesendet wird, hat dieses Thema. Archivieren Sie es, wenn sie beendet ist.",
  "The account already has a topic {value}.": "Das Konto hat schon ein Thema {value}.",
  "The account has no topic {key}; GET /api/v1/topics lists those it has.": "Das Konto hat kein Thema {key}.",
  "The user must not be a member of the company already.": "Die Person ist schon Mitglied des Unternehmens.",
  "code must be a current one-time code or an unused recovery code.":
    "Der Code muss ein aktueller Einmalcode oder ein unbenutzter Wiederherstellungscode sein.",
  "The user must have no one-time codes yet; remove them first.":
    "Einmalcodes sind schon eingerichtet. Entfernen Sie sie zuerst.",
  "The installation must keep an active operator: make another one first, with svc users invite --operator.":
    "Die Installation braucht eine Person, die sie betreibt: Bestimmen Sie zuerst eine andere.",
  "The company must keep an active Owner: make another member one first.":
    "Das Unternehmen braucht einen aktiven Inhaber: Machen Sie zuerst ein anderes Mitglied dazu.",
  "The link must be valid: it is unknown, expired or used. Ask for a new one.":
    "Der Link ist unbekannt, abgelaufen oder schon benutzt. Lassen Sie sich einen neuen geben.",
  "The passkey must be one of this service and of a user who may sign in, and answer a challenge of the last five minutes.":
    "Der Passkey gehört zu niemandem, der sich hier anmelden darf, oder es hat länger als fünf Minuten gedauert.",
  "A user must have at most 20 passkeys; remove one that is not used.":
    "Sie haben schon 20 Passkeys. Entfernen Sie einen, den Sie nicht benutzen.",
  "password must be harder to guess. {hint}": "Das Passwort ist zu leicht zu erraten. {hint}",
  "password must be harder to guess.": "Das Passwort ist zu leicht zu erraten.",
  "The identity provider must sign a user in, within ten minutes and in the browser that went there; sign in again.":
    "Der Identitätsanbieter muss Sie binnen zehn Minuten und im selben Browser anmelden. Melden Sie sich erneut an.",
  "The user must sign in with the identity provider, so there is no password or second factor here.":
    "Sie melden sich über den Identitätsanbieter an und haben hier weder Passwort noch Codes.",
  "The caller lacks the right {right}, which the call requires.": "Ihnen fehlt das Recht {right}.",
  "The address and the password must be those of a user who may sign in.":
    "Adresse oder Passwort ist falsch.",
  "Too many wrong tokens, passwords or codes; wait as long as the header Retry-After says.":
    "Zu viele falsche Tokens, Passwörter oder Codes. Warten Sie eine Weile.",
  "{field} must be {expected}.": "{field}: Erwartet wird {expected}.",
  "{field} must be one valid email address, such as ada@example.org.":
    "Geben Sie eine gültige E-Mail-Adresse an, etwa ada@example.org.",
  "The value must be a valid email address.": "Geben Sie eine gültige E-Mail-Adresse an.",
  "The value must have the required format.": "Der Wert hat nicht das verlangte Format.",
  "{field} must have at most {max} {expected}.": "Höchstens {max} {expected}.",
  "{field} must be at most {max} characters long.": "Höchstens {max} Zeichen.",
  "The value must be shorter; params name the limit.": "Der Wert ist zu lang.",
  "{field} must be at least {min} characters long.": "Mindestens {min} Zeichen.",
  "The value must be longer; params name the limit.": "Der Wert ist zu kurz.",
  "{field} must be at most {latest}.": "Spätestens {latest}.",
  "{field} must be from {min} to {max}.": "Geben Sie einen Wert von {min} bis {max} an.",
  "{field} must be at least {min}.": "Geben Sie mindestens {min} an.",
  "{field} must be at most {max}.": "Geben Sie höchstens {max} an.",
  "The value must be in the range that params name.": "Der Wert liegt nicht im erlaubten Bereich.",
  "{field} must be given.": "{field} fehlt.",
  "The value must be given.": "Der Wert fehlt.",
  "{field} must have the required type.": "{field} hat nicht den verlangten Typ.",
  "The value must have the required type.": "Der Wert hat nicht den verlangten Typ.",
  "The notification was attempted 100 times and cannot be sent again.":
    "Die Benachrichtigung wurde 100-mal versucht und wird nicht mehr gesendet.",
  "{value} is not a webhook event; the events are {known}.":
    "{value} ist kein Ereignis von Webhooks. Es gibt {known}.",
  "The account must have at most 20 active webhooks; delete one that is not used.":
    "Das Konto hat schon 20 aktive Webhooks. Löschen Sie einen, der nicht benutzt wird.",
  "The webhook was stopped after too many failures in a row; delete it and add it again.":
    "Der Webhook wurde nach zu vielen Fehlern in Folge angehalten. Ersetzen Sie ihn.",
  "url must be an https address on the public internet, without user name or password; while you develop, svc listen --forward-to posts the notifications to your own machine, and SVC_WEBHOOK_ALLOW_PRIVATE=true allows any other.":
    "Geben Sie eine https-Adresse im öffentlichen Internet an, ohne Benutzernamen und Passwort. Für die Entwicklung sendet svc listen --forward-to die Benachrichtigungen an Ihren eigenen Rechner.",
  "The recipient's server accepted the email. What its filters did with it afterwards cannot be known.":
    "Der Server des Empfängers hat die E-Mail angenommen. Was seine Filter danach mit ihr taten, lässt sich nicht wissen.",
  "If the person does not find it, ask them to look in their spam folder.":
    "Findet die Person sie nicht, bitten Sie sie, im Spam-Ordner nachzusehen.",
  "The relay accepted the email and will report the result.":
    "Das Relay hat die E-Mail angenommen und wird berichten, was aus ihr wurde.",
  "Wait for the relay's report.": "Warten Sie auf den Bericht des Relays.",
  "A relay accepted the email. It does not report results.":
    "Ein Relay hat die E-Mail angenommen. Es berichtet nicht, was aus ihr wurde.",
  "Check the relay's log.": "Sehen Sie im Protokoll des Relays nach.",
  "The recipient's server rejected the address permanently. The address is suppressed.":
    "Der Server des Empfängers hat die Adresse endgültig abgelehnt. Sie ist gesperrt.",
  "Ask the person for another address.": "Bitten Sie die Person um eine andere Adresse.",
  "The email could not be delivered.": "Die E-Mail konnte nicht zugestellt werden.",
  "Send it again.": "Senden Sie sie erneut.",
  "The address is suppressed.": "Die Adresse ist gesperrt.",
  "The email is waiting to be sent.": "Die E-Mail wartet darauf, gesendet zu werden.",
  "The email is being passed to the recipient's server.":
    "Die E-Mail wird gerade dem Server des Empfängers übergeben.",
  "The person was never among the recipients.": "Die Person war nie unter den Empfängern.",
  "Check the address, or send the email to the person as well.":
    "Prüfen Sie die Adresse, oder senden Sie die E-Mail auch an diese Person.",
  "The person was erased, and their emails with them.":
    "Die Person wurde gelöscht, und mit ihr ihre E-Mails.",
  "The recipients of this email are no longer kept: the account's retention has ended.":
    "Die Empfänger dieser E-Mail werden nicht mehr aufbewahrt: Die Aufbewahrung des Kontos ist abgelaufen.",
  "The person's consent is {status}, which does not allow marketing email.":
    "Die Einwilligung der Person ist {status} und erlaubt keine Werbung.",
  "Only the person can consent to marketing email.": "Nur die Person selbst kann Werbung zustimmen.",
  "The person has the email's topic turned off.": "Die Person hat das Thema der E-Mail ausgeschaltet.",
  "Only the person can turn it on, in their preferences.":
    "Nur die Person selbst kann es in ihren Einstellungen einschalten.",
  "The flow is {status} and starts no runs.": "Der Ablauf ist {status} und beginnt keine Läufe.",
  "Publish the flow. It starts on the next event.":
    "Veröffentlichen Sie den Ablauf. Er beginnt mit dem nächsten Ereignis.",
  "The event {event}, which starts the flow, is not on the person's timeline.":
    "Das Ereignis {event}, mit dem der Ablauf beginnt, steht nicht im Verlauf der Person.",
  "Check that your program sends the event for this person.":
    "Prüfen Sie, ob Ihr Programm das Ereignis für diese Person meldet.",
  "No call has started the flow for this person.": "Kein Aufruf hat den Ablauf für diese Person begonnen.",
  "Check that your program calls the flow's trigger URL for this person.":
    "Prüfen Sie, ob Ihr Programm die Adresse des Ablaufs für diese Person aufruft.",
  "The person has not {moved} the flow's segment since the flow was published.":
    "Seit der Ablauf veröffentlicht ist, hat die Person sein Segment nicht {moved}.",
  "Check the segment's rules and the person's data. Segments are evaluated seconds after a change.":
    "Prüfen Sie die Regeln des Segments und die Daten der Person. Segmente werden Sekunden nach einer Änderung ausgewertet.",
  "The event {event} occurred, but the trigger's filter did not match: {rule}.":
    "Das Ereignis {event} trat ein, aber der Filter des Auslösers passte nicht: {rule}.",
  "Check the properties of the event, or change the filter.":
    "Prüfen Sie die Eigenschaften des Ereignisses, oder ändern Sie den Filter.",
  "The event {event} matches the trigger, but there is no run: the flow was not published at that time, or retention deleted the run.":
    "Das Ereignis {event} passt zum Auslöser, aber es gibt keinen Lauf: Der Ablauf war damals nicht veröffentlicht, oder der Lauf wird nicht mehr aufbewahrt.",
  "The event {event} started no run, because the person was already in a run of the flow.":
    "Das Ereignis {event} begann keinen Lauf, da die Person schon in einem war.",
  "The next event after the run ends starts a new run.":
    "Das nächste Ereignis nach dem Ende des Laufs beginnt einen neuen.",
  "The event {event} ended the run before the email was sent.":
    "Das Ereignis {event} beendete den Lauf, bevor die E-Mail gesendet wurde.",
  "The run was stopped before the email was sent: {detail}.":
    "Der Lauf wurde angehalten, bevor die E-Mail gesendet wurde: {detail}.",
  "The run failed before the email was sent: {detail}.":
    "Der Lauf scheiterte, bevor die E-Mail gesendet wurde: {detail}.",
  "Check the log of the run.": "Sehen Sie im Protokoll des Laufs nach.",
  "The run is waiting in the step {step} until {until}.": "Der Lauf wartet im Schritt {step} bis {until}.",
  "The run ended on a path without an email.": "Der Lauf endete auf einem Weg ohne E-Mail.",
  "The campaign is {status}, and its audience has not been determined yet.":
    "Die Kampagne ist {status}, und ihre Empfänger stehen noch nicht fest.",
  "Launch the campaign, or wait for its scheduled time.":
    "Starten Sie die Kampagne, oder warten Sie auf ihren Zeitpunkt.",
  "The segments of the campaign did not select the person when it started.":
    "Die Segmente der Kampagne wählten die Person nicht aus, als sie begann.",
  "Check the rules of the segments. People who enter them later do not receive the campaign.":
    "Prüfen Sie die Regeln der Segmente. Wer später hinzukommt, bekommt die Kampagne nicht.",
  "The person is a recipient, but the campaign is paused: {detail}.":
    "Die Person gehört zu den Empfängern, aber die Kampagne ist angehalten: {detail}.",
  "Resume or cancel the campaign.": "Setzen Sie die Kampagne fort, oder brechen Sie sie ab.",
  "The campaign was cancelled before the email to this person was sent.":
    "Die Kampagne wurde abgebrochen, bevor die E-Mail an diese Person gesendet wurde.",
  "The person is a recipient. Their email is due at {until} at the earliest.":
    "Die Person gehört zu den Empfängern. Ihre E-Mail wird frühestens {until} gesendet.",
  "The step {step} could not render the email: {detail}":
    "Der Schritt {step} konnte die E-Mail nicht darstellen: {detail}",
  "Fix the step's content and publish the flow again.":
    "Berichtigen Sie den Inhalt des Schritts, und veröffentlichen Sie den Ablauf erneut.",
  "The person has no address.": "Die Person hat keine Adresse.",
  "Another contact with this address received the campaign.":
    "Ein anderer Kontakt mit dieser Adresse hat die Kampagne bekommen.",
  "The campaign's local time had already passed in the person's time zone.":
    "In der Zeitzone der Person war die Ortszeit der Kampagne schon vorbei.",
  "The content could not be rendered for this person.":
    "Der Inhalt ließ sich für diese Person nicht darstellen.",
  "Check the campaign's preview for this person, then try again.":
    "Sehen Sie sich die Vorschau der Kampagne für diese Person an, und versuchen Sie es dann erneut.",
  "The campaign's sending hours in the person's time zone begin at {until}.":
    "Die Sendezeit der Kampagne in der Zeitzone der Person beginnt {until}.",
  "The campaign's A/B test is not decided yet.": "Der A/B-Test der Kampagne ist noch nicht entschieden.",
  "The campaign has a pace limit, and this person's email is not due yet.":
    "Die Kampagne wird mit begrenztem Tempo gesendet, und die E-Mail dieser Person ist noch nicht an der Reihe.",
  "The person has the email's topic turned off, or it is archived.":
    "Die Person hat das Thema der E-Mail ausgeschaltet, oder es ist archiviert.",
  "The person is in the holdout group.": "Die Person gehört zu den Zurückbehaltenen.",
  "The person has reached a frequency cap of the account.":
    "Die Person hat so viele Werbemails bekommen, wie das Konto erlaubt.",
  "Check the setting marketingCaps.": "Prüfen Sie die Einstellung marketingCaps.",
  "The person's quiet hours last until {until}.": "Die Ruhezeit der Person dauert bis {until}.",
  "The address bounced before and is suppressed.": "Die Adresse war früher unzustellbar und ist gesperrt.",
  "If the address works again, remove it from the suppression list.":
    "Gilt die Adresse wieder, heben Sie ihre Sperre auf.",
  "The person marked an earlier email as spam; the address is suppressed.":
    "Die Person hat eine frühere E-Mail als Spam gemeldet; die Adresse ist gesperrt.",
  "Do not write to this person again.": "Schreiben Sie dieser Person nicht mehr.",
  "The address is on the protective list.": "Die Adresse ist zum Schutz gesperrt.",
  "If it is there by mistake, remove it from the suppression list.":
    "Ist sie irrtümlich gesperrt, heben Sie ihre Sperre auf.",
  "The person's consent no longer allowed the email, they turned its topic off, or they left its address.":
    "Die Einwilligung der Person erlaubte die E-Mail nicht mehr, sie hat ihr Thema ausgeschaltet, oder die Adresse ist nicht mehr ihre.",
  "The person has another address now.": "Die Person hat jetzt eine andere Adresse.",
  "The email is waiting because the account has no verified sender yet.":
    "Die E-Mail wartet, da das Konto noch keinen bestätigten Absender hat.",
  "Add a sending domain, publish its DNS records and check it.":
    "Fügen Sie eine Absenderdomain hinzu, veröffentlichen Sie ihre DNS-Einträge, und prüfen Sie sie.",
  "The email is scheduled for {until}.": "Die E-Mail ist für {until} geplant.",
  "The account's daily limit is used up.": "Die Tagesgrenze des Kontos ist erreicht.",
  "Wait for the next day (UTC), or raise the setting dailySendLimit.":
    "Warten Sie auf den nächsten Tag (UTC), oder erhöhen Sie die Einstellung dailySendLimit.",
  "The recipient's server rejected the email temporarily. Another attempt is scheduled.":
    "Der Server des Empfängers hat die E-Mail vorerst abgelehnt. Ein weiterer Versuch ist geplant.",
  "The recipient's server offers no encryption, and the account requires it.":
    "Der Server des Empfängers bietet keine Verschlüsselung, und das Konto verlangt sie.",
  "Wait until the server offers it, or turn the setting requireTls off.":
    "Warten Sie, bis der Server sie bietet, oder schalten Sie die Einstellung requireTls aus.",
  "The recipient's provider is not accepting email from this service at the moment. The email is sent as soon as it does.":
    "Der Anbieter des Empfängers nimmt zurzeit keine E-Mails dieses Dienstes an. Die E-Mail wird gesendet, sobald er es tut.",
  "You do not need to do anything. The operator sees the provider's reply.":
    "Sie müssen nichts tun. Wer die Installation betreibt, sieht die Antwort des Anbieters.",
  "The email is waiting because the recipient's provider is not accepting email from the sending domain at the moment.":
    "Die E-Mail wartet, da der Anbieter des Empfängers zurzeit keine E-Mails der Absenderdomain annimmt.",
  "GET /manage/v1/accounts/{accountId}/notices shows the provider's reply and what to fix.":
    "Unter Domains, Reputation stehen die Antwort des Anbieters und was zu beheben ist.",
  "The email is waiting because none of the relays in the account's setting delivery can be used.":
    "Die E-Mail wartet, da sich keines der Relays in der Einstellung delivery des Kontos benutzen lässt.",
  "Fix the relay, or add another to the setting delivery.":
    "Berichtigen Sie das Relay, oder nehmen Sie ein weiteres in die Einstellung delivery auf.",
  "The email is waiting because the sending addresses for marketing are warming up: their limit rises each day.":
    "Die E-Mail wartet, da die Sendeadressen für Werbung aufgewärmt werden: Ihre Grenze steigt jeden Tag.",
  "You do not need to do anything. The operator sees the plan of each address.":
    "Sie müssen nichts tun. Wer die Installation betreibt, sieht den Plan jeder Adresse.",
  "The recipient's provider did not accept email, and the operator ended the delivery.":
    "Der Anbieter des Empfängers nahm keine E-Mails an, und wer die Installation betreibt, hat die Zustellung beendet.",
  "Send the email again once the provider accepts email.":
    "Senden Sie die E-Mail erneut, wenn der Anbieter wieder E-Mails annimmt.",
  "The recipient's server rejected the message permanently.":
    "Der Server des Empfängers hat die E-Mail endgültig abgelehnt.",
  "Fix the cause that the server names, and send the email again.":
    "Beheben Sie, was der Server beanstandet, und senden Sie die E-Mail erneut.",
  "The recipient's mailbox is full.": "Das Postfach des Empfängers ist voll.",
  "Send the email again later.": "Senden Sie die E-Mail später erneut.",
  "The recipient's server rejected every attempt temporarily, until none was left.":
    "Der Server des Empfängers hat jeden Versuch vorerst abgelehnt, bis keiner mehr übrig war.",
  "The address is on the relay provider's own suppression list.":
    "Die Adresse steht auf der eigenen Sperrliste des Anbieters, der weiterleitet.",
  "If it is there by mistake, remove it at the provider.":
    "Steht sie dort irrtümlich, entfernen Sie sie beim Anbieter.",
  "The connection broke before the server confirmed the email, so it may have arrived.":
    "Die Verbindung brach ab, bevor der Server die E-Mail bestätigte: Sie kann angekommen sein.",
  "Ask the person before you send it again.": "Fragen Sie die Person, bevor Sie sie erneut senden.",
  "The campaign of the email is paused.": "Die Kampagne der E-Mail ist angehalten.",
  "The email was cancelled before it was sent.": "Die E-Mail wurde vor dem Senden abgebrochen.",
  "The email is held for review.": "Die E-Mail ist zur Prüfung angehalten.",
  "Release or refuse it.": "Geben Sie sie frei, oder lehnen Sie sie ab.",
  "The email was refused in review.": "Die E-Mail wurde in der Prüfung abgelehnt.",
  "Marketing email of the account is held because too many of its emails bounced or were marked as spam.":
    "Die Werbung des Kontos ist angehalten, da zu viele seiner E-Mails unzustellbar waren oder als Spam gemeldet wurden.",
  "Check the account's standing and fix the causes it names.":
    "Prüfen Sie die Reputation des Kontos, und beheben Sie, was sie nennt.",
  "The email was held until it was too late to send it.":
    "Die E-Mail war so lange angehalten, dass es zu spät war, sie zu senden.",
  "Check the account's standing and its notices for the cause. Then send the email again.":
    "Suchen Sie den Grund in der Reputation des Kontos. Senden Sie die E-Mail dann erneut.",
  "The flow skipped the email because the person's consent does not allow marketing.":
    "Der Ablauf ließ die E-Mail aus, da die Einwilligung der Person keine Werbung erlaubt.",
  "The flow skipped the email because the person has its topic turned off.":
    "Der Ablauf ließ die E-Mail aus, da die Person ihr Thema ausgeschaltet hat."
}

/** The phrases. */
export const phrasesDe: Readonly<Record<string, string>> = {
  "It must have at least 12 characters.": "Es muss mindestens 12 Zeichen haben.",
  "Rows of keys are easy to guess.": "Tastenreihen sind leicht zu erraten.",
  "Short keyboard patterns are easy to guess.": "Kurze Muster auf der Tastatur sind leicht zu erraten.",
  "Repeated characters are easy to guess.": "Wiederholte Zeichen sind leicht zu erraten.",
  "Repeated character patterns are easy to guess.": "Wiederholte Zeichenfolgen sind leicht zu erraten.",
  "Common character sequences are easy to guess.": "Übliche Zeichenfolgen sind leicht zu erraten.",
  "Recent years are easy to guess.": "Jahreszahlen sind leicht zu erraten.",
  "Dates are easy to guess.": "Datumsangaben sind leicht zu erraten.",
  "This is a heavily used password.": "Dieses Passwort wird sehr oft benutzt.",
  "This is a frequently used password.": "Dieses Passwort wird oft benutzt.",
  "This is a commonly used password.": "Dieses Passwort ist verbreitet.",
  "This is similar to a commonly used password.": "Es ähnelt einem verbreiteten Passwort.",
  "Single words are easy to guess.": "Einzelne Wörter sind leicht zu erraten.",
  "Single names or surnames are easy to guess.": "Einzelne Namen sind leicht zu erraten.",
  "Common names and surnames are easy to guess.": "Verbreitete Namen sind leicht zu erraten.",
  "It must not contain what others know about you.": "Es darf nichts enthalten, was andere über Sie wissen.",
  "true or false": "Ja oder Nein",
  "an object": "ein Objekt",
  "a string": "ein Text",
  "a list": "eine Liste",
  "a UUID": "eine ID (UUID)",
  "a number": "eine Zahl",
  "true or false, once": "Ja oder Nein",
  "a colour as # and six hexadecimal digits, such as #1a2b3c":
    "eine Farbe als # und sechs Hexadezimalziffern, etwa #1a2b3c",
  "a country code of ISO 3166-1 alpha-2, such as DE": "ein Land nach ISO 3166-1 alpha-2, etwa DE",
  "a date-time of ISO 8601 with an offset, such as 2026-01-31T12:00:00Z":
    "ein Zeitpunkt nach ISO 8601 mit Zeitzone, etwa 2026-01-31T12:00:00Z",
  "a name on one line, without control characters": "ein Name in einer Zeile, ohne Steuerzeichen",
  "a domain name, such as shop.example.com": "ein Domainname, etwa shop.example.com",
  "an IPv4 or IPv6 address, such as 192.0.2.1": "eine IPv4- oder IPv6-Adresse, etwa 192.0.2.1",
  "a language tag of BCP 47, such as en or pt-BR": "ein Sprachcode nach BCP 47, etwa en oder pt-BR",
  "one line, without line breaks": "eine Zeile ohne Umbrüche",
  "Unicode text without NUL characters and unpaired surrogates":
    "Text in Unicode ohne NUL-Zeichen und einzelne Surrogate",
  "an IANA time zone, such as Europe/Berlin": "eine Zeitzone der IANA, etwa Europe/Berlin",
  "a time of day, such as 09:30": "eine Uhrzeit, etwa 09:30",
  "a UUID, such as 0198c2f0-6d5e-7a31-9b5c-2f1e4d3c2b1a":
    "eine ID, etwa 0198c2f0-6d5e-7a31-9b5c-2f1e4d3c2b1a",
  "an http or https URL": "eine http- oder https-Adresse",
  "It must not contain your email address.": "Es darf Ihre E-Mail-Adresse nicht enthalten.",
  "It must not contain the name of the service.": "Es darf den Namen des Dienstes nicht enthalten.",
  "Use more words, or more random characters.": "Nehmen Sie mehr Wörter oder mehr zufällige Zeichen.",
  "a whole number": "eine ganze Zahl",
  "a domain": "eine Domain",
  "after since": "später als der Anfang",
  "an https URL of a public server": "die https-Adresse eines öffentlichen Servers",
  "an amount, such as 12.50": "ein Betrag, etwa 12.50",
  "a-z, 0-9 and -, up to 80 characters": "a-z, 0-9 und -, höchstens 80 Zeichen",
  "a time, such as 2026-01-31T12:00:00Z": "ein Zeitpunkt, etwa 2026-01-31T12:00:00Z",
  "a time of day other than from": "eine andere Uhrzeit als der Anfang",
  "a time in the future": "ein Zeitpunkt in der Zukunft",
  "a language of two or three letters, such as pt": "eine Sprache aus zwei oder drei Buchstaben, etwa pt",
  "a duration from PT1H to P7D": "eine Dauer von PT1H bis P7D",
  "1 to 40 lower case letters, digits and hyphens": "1 bis 40 Kleinbuchstaben, Ziffern und Bindestriche",
  "a password of at most 200 printable characters": "ein Passwort aus höchstens 200 druckbaren Zeichen",
  "a user name without colons, at most 200 characters":
    "ein Benutzername ohne Doppelpunkt, höchstens 200 Zeichen",
  "the name of a configuration set: letters, digits, hyphens and underscores, at most 64":
    "der Name eines Configuration Set: Buchstaben, Ziffern, Bindestriche und Unterstriche, höchstens 64",
  "the ARN of a topic of SNS": "die ARN eines Themas von SNS",
  "the verification key, as SendGrid shows it": "der Prüfschlüssel, wie SendGrid ihn zeigt",
  "the signing secret of the webhook, which begins with whsec_":
    "das Geheimnis des Webhooks, das mit whsec_ beginnt",
  "the HTTP webhook signing key of Mailgun, at most 200 characters":
    "der HTTP webhook signing key von Mailgun, höchstens 200 Zeichen"
}

/** The names of API fields on the screens. */
export const fieldsDe: Readonly<Record<string, string>> = {
  accent: "Akzentfarbe",
  address: "Adresse",
  after: "Dauer",
  at: "Zeitpunkt",
  background: "Hintergrundfarbe",
  city: "Ort",
  clientId: "Client-ID",
  comment: "Kommentar",
  confidence: "Sicherheit",
  content: "Inhalt",
  countryCode: "Land",
  currency: "Währung",
  day: "Tag",
  days: "Tage",
  description: "Beschreibung",
  domain: "Domain",
  domains: "Domains",
  duration: "Dauer",
  email: "E-Mail-Adresse",
  emailDomains: "E-Mail-Domains",
  emails: "E-Mails",
  event: "Ereignis",
  externalId: "Ihre Kennung",
  firstName: "Vorname",
  footer: "Fußzeile",
  from: "Absender",
  holdoutPercent: "Zurückbehalten",
  hours: "Stunden",
  html: "HTML",
  key: "Schlüssel",
  language: "Sprache",
  lastName: "Nachname",
  localTime: "Ortszeit",
  name: "Name",
  password: "Passwort",
  permissions: "Berechtigungen",
  phone: "Telefon",
  port: "Port",
  preheader: "Vorschautext",
  properties: "Eigenschaften",
  purpose: "Art der E-Mail",
  rate: "Anteil",
  reason: "Grund",
  "quietHours.from": "Beginn",
  "quietHours.to": "Ende",
  replyTo: "Antworten gehen an",
  rights: "Rechte",
  rules: "Regeln",
  schedule: "Zeitpunkt",
  segments: "Segmente",
  share: "Testgruppe",
  source: "Quelltext",
  steps: "Schritte",
  subject: "Betreff",
  tag: "Tag",
  tags: "Tags",
  templateId: "Vorlage",
  text: "Text",
  time: "Uhrzeit",
  timeZone: "Zeitzone",
  timeout: "Höchstdauer",
  to: "Empfänger",
  topic: "Thema",
  trigger: "Auslöser",
  url: "Adresse",
  utm: "UTM-Parameter",
  value: "Wert",
  values: "Werte",
  "window.from": "Beginn",
  "window.to": "Ende"
}
