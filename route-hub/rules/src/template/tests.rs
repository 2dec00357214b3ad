use super::*;
use crate::Scope;
use hub_domain::{Contact, Project, Vars, VarsChange};
use postrider_model::{ContactId, Key, OrganizationId, ProjectId, UnixMs};
use proptest::prelude::*;
use serde_json::json;

const BYTES_MAX: usize = 20_000;

fn contact() -> Contact {
    let project = ProjectId::new(Key::new(2).unwrap());
    let id = ContactId::new(Key::new(1).unwrap());
    let number = "+15005550101".parse().ok();
    let mut contact = Contact::new(id, project, number, None, UnixMs(1_700_000_000_999));
    contact.name = Some("ann  O'Hara-lee".to_owned());
    let vars = json!({
        "city": "Göteborg", "age": 42, "ratio": 1.50, "vip": true, "sly": "[[contact.name]]",
        "lower": "kept", "empty": "",
    });
    contact.vars = Vars::from_change(VarsChange::parse(&vars).unwrap());
    contact
}

fn rendered(text: &str) -> String {
    let contact = contact();
    let organization = OrganizationId::new(Key::new(3).unwrap());
    let project = Project::new(contact.project_id, organization, "Water", UnixMs(0));
    let scope = Scope::new()
        .with("contact", &contact)
        .with("project", &project)
        .with_text("$answer", "yes")
        .with_content("  JOIN  the club now ");
    let template = Template::parse(text).unwrap();
    template.render(&scope, BYTES_MAX).unwrap()
}

#[test]
fn variables_are_put_in() {
    for (text, expected) in [
        ("Hi [[contact.name]]!", "Hi ann  O'Hara-lee!"),
        ("[[ contact.phone_number ]]", "+15005550101"),
        (
            "[[contact.vars.city]]/[[contact.vars.age]]/[[contact.vars.vip]]",
            "Göteborg/42/true",
        ),
        ("[[contact.time_created]]", "1700000000"),
        (
            "[[contact.send_blocked]] [[contact.message_count]]",
            "false 0",
        ),
        ("[[project.name]] [[$answer]]", "Water yes"),
        ("[[content]]", "  JOIN  the club now "),
        ("[[word1]]|[[word4]]|[[word5]]", "JOIN|now|"),
        ("[[remainder1]]|[[remainder9]]", "the club now |"),
    ] {
        assert_eq!(rendered(text), expected, "{text}");
    }
}

#[test]
fn what_is_not_there_is_empty_and_may_have_a_default() {
    for (text, expected) in [
        ("<[[contact.nothing]]>", "<>"),
        ("<[[contact.vars.none]]>", "<>"),
        ("<[[elephant.name]]>", "<>"),
        ("<[[contact]]>", "<>"),
        ("[[contact.vars.none|default('you')]]", "you"),
        (
            "[[contact.vars.empty | default: \"you, \\\"you\\\"\"]]",
            "you, \"you\"",
        ),
        ("[[contact.vars.none|default: dear friend ]]", "dear friend"),
        ("[[contact.vars.city|default('x')]]", "Göteborg"),
    ] {
        assert_eq!(rendered(text), expected, "{text}");
    }
}

#[test]
fn texts_have_properties_and_filters() {
    for (text, expected) in [
        (
            "[[contact.vars.city.upper]] [[contact.vars.city.lower]]",
            "GÖTEBORG göteborg",
        ),
        (
            "[[contact.vars.city.length]] [[contact.vars.none.length]]",
            "8 0",
        ),
        ("[[contact.vars.lower]] [[word1.lower]]", "kept join"),
        ("[[contact.name|title]]", "Ann  O'hara-Lee"),
        ("[[contact.name|capitalize]]", "Ann  O'Hara-lee"),
        ("[[contact.name|word(2)|upper]]", "O'HARA-LEE"),
        ("[[contact.name|word:9|default('-')]]", "-"),
        ("[[content|trim|length]]", "18"),
        ("[[contact.vars.city|truncate(4)]]", "Göte"),
        ("[[contact.vars.city|truncate(4, '…')]]", "Göt…"),
        ("[[contact.vars.city|truncate: 80]]", "Göteborg"),
        ("[[contact.vars.city|replace('e', 'E')]]", "GötEborg"),
        ("[[contact.vars.city|url_encode]]", "G%C3%B6teborg"),
    ] {
        assert_eq!(rendered(text), expected, "{text}");
    }
}

#[test]
fn what_a_variable_holds_is_never_read_as_a_template() {
    assert_eq!(rendered("[[contact.vars.sly]]"), "[[contact.name]]");
    assert_eq!(
        rendered("[[contact.vars.none|default('[[contact.name]]')]]"),
        "[[contact.name]]"
    );
    let broken = "[[[contact.vars.sly]]]";
    assert_eq!(rendered(broken), "[[[contact.name]]]");
}

#[test]
fn brackets_around_no_name_are_the_texts_own() {
    for text in [
        "[[",
        "]]",
        "[[]]",
        "[[ ]]",
        "[[1]]",
        "[[hello world]]",
        "[[contact.]]",
        "[[.name]]",
        "[[a.b.c.d.e.f]]",
        "[contact.name]",
        "[[contact.name",
        "[[contact.name|upper",
        "a[[b[[c",
        "[[naïve]]",
        "[[\n]]",
        "[[$]]",
    ] {
        assert_eq!(rendered(text), text);
    }
    assert_eq!(rendered("[[[contact.vars.age]]]"), "[42]");
    assert_eq!(rendered("[[x [[contact.vars.age]]"), "[[x 42");
}

#[test]
fn filters_that_do_not_exist_or_lack_something_are_named() {
    let bad = |text| Template::parse(text).unwrap_err();
    let unknown = BadTemplate::UnknownFilter {
        name: "shout".to_owned(),
    };
    assert_eq!(bad("[[contact.name|shout]]"), unknown);
    assert_eq!(bad("[[a|]]"), BadTemplate::NotAFilter);
    assert_eq!(bad("[[a|upper x]]"), BadTemplate::NotAFilter);
    for text in [
        "[[a|default]]",
        "[[a|default()]]",
        "[[a|upper(1)]]",
        "[[a|truncate(x)]]",
        "[[a|word(0)]]",
        "[[a|truncate(-1)]]",
        "[[a|replace('','b')]]",
        "[[a|replace('b')]]",
        "[[a|default('b]]",
        "[[a|default('b',c,d)]]",
        "[[a|truncate(123456)]]",
        "[[a|default('b']]",
    ] {
        assert!(matches!(bad(text), BadTemplate::BadFilter { .. }), "{text}");
    }
}

#[test]
fn size_depth_and_number_are_bounded() {
    let many = "[[a]]".repeat(TAGS_MAX);
    assert!(Template::parse(&many).is_ok());
    assert_eq!(
        Template::parse(&(many + "[[a]]")),
        Err(BadTemplate::TooManyTags)
    );
    let filters = |n| format!("[[a{}]]", "|lower".repeat(n));
    assert!(Template::parse(&filters(FILTERS_MAX)).is_ok());
    assert_eq!(
        Template::parse(&filters(FILTERS_MAX + 1)),
        Err(BadTemplate::TooManyFilters)
    );
    let long = "x".repeat(5_000);
    let scope = Scope::new().with_text("a", long.as_str());
    let render = |text: &str, max| Template::parse(text).unwrap().render(&scope, max);
    assert_eq!(render("[[a]][[a]]", 9_999), Err(Unrendered::TooLong));
    assert!(render("[[a]][[a]]", 10_000).is_ok());
    let growing = "[[a|replace('x','xxxxxxxxxx')|replace('x','xxxxxxxxxx')|truncate(1)]]";
    assert_eq!(render(growing, BYTES_MAX), Err(Unrendered::TooLong));
}

#[test]
fn a_template_prints_nothing_of_its_words() {
    let template = Template::parse("secret [[contact.name]]").unwrap();
    assert_eq!(format!("{template:?}"), "Template(1 variables)");
}

/// Texts that are likely to come near the grammar.
fn near_templates() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "[[", "]]", "[", "]", "|", ".", ",", ":", "(", ")", "'", "\"", "\\", " ", "$", "contact",
        "name", "vars", "city", "sly", "default", "upper", "length", "truncate", "replace", "7",
        "é", "\n", "word1", "_",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_096))]

    #[test]
    fn any_text_is_a_template_or_refused_and_never_exceeds_its_bound(text in near_templates()) {
        if let Ok(template) = Template::parse(&text) {
            let contact = contact();
            let scope = Scope::new().with("contact", &contact).with_content(&text);
            if let Ok(made) = template.render(&scope, 300) {
                prop_assert!(made.len() <= 300);
                if template.is_plain() {
                    prop_assert_eq!(made, text);
                }
            }
        }
    }

    #[test]
    fn a_value_comes_out_as_it_went_in(value in near_templates(), before in "[a-z ]{0,9}") {
        let scope = Scope::new().with_text("x", value.as_str());
        let template = Template::parse(&format!("{before}[[x]]{before}")).unwrap();
        let made = template.render(&scope, BYTES_MAX).unwrap();
        prop_assert_eq!(made, format!("{before}{value}{before}"));
    }

    #[test]
    fn a_text_without_double_brackets_stays_as_it_is(text in "[^\\[]{0,200}") {
        let template = Template::parse(&text).unwrap();
        prop_assert!(template.is_plain());
        prop_assert_eq!(template.render(&Scope::new(), BYTES_MAX).unwrap(), text);
    }

    #[test]
    fn a_quoted_default_is_any_text(text in any::<String>()) {
        let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
        let template = Template::parse(&format!("[[none|default(\"{quoted}\")]]")).unwrap();
        prop_assert_eq!(template.render(&Scope::new(), BYTES_MAX).unwrap(), text);
    }
}

#[test]
fn filters_that_go_through_too_much_are_given_up() {
    let long = "x".repeat(4_000);
    let vars = Vars::from_change(VarsChange::parse(&json!({ "a": long })).unwrap());
    let names = Scope::new().with("contact", &vars);
    let tag = "[[contact.a|lower|upper|lower|upper|lower|upper|lower|truncate(1)]]";
    let rendered = |tags: usize| {
        let template = Template::parse(&tag.repeat(tags)).unwrap();
        template.render(&names, BYTES_MAX)
    };
    assert_eq!(rendered(3).as_deref(), Ok("xxx"));
    assert_eq!(rendered(10), Err(Unrendered::TooMuchWork));
}
