//! The Unicode 17.0 properties that the rules of visible names use.

/// Returns whether it has the property `Default_Ignorable_Code_Point` (`DerivedCoreProperties.txt`).
pub(super) const fn is_default_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns whether it is a character that is invisible, or breaks the line, without that property: line and paragraph
/// separators, the braille pattern without dots, annotation marks, the Khitan filler, the null
/// notehead.
pub(super) const fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{2028}' | '\u{2029}' | '\u{2800}' | '\u{fff9}'..='\u{fffb}' | '\u{16fe4}' | '\u{1d159}'
    )
}

/// Returns whether an Arabic letter joins the previous one: `Joining_Type` D or R in the blocks of
/// the Arabic script (`DerivedJoiningType.txt`).
pub(super) const fn joins_previous(c: char) -> bool {
    matches!(
        c,
        '\u{620}'
            | '\u{622}'..='\u{63f}'
            | '\u{641}'..='\u{64a}'
            | '\u{66e}'..='\u{66f}'
            | '\u{671}'..='\u{673}'
            | '\u{675}'..='\u{6d3}'
            | '\u{6d5}'
            | '\u{6ee}'..='\u{6ef}'
            | '\u{6fa}'..='\u{6fc}'
            | '\u{6ff}'
            | '\u{750}'..='\u{77f}'
            | '\u{870}'..='\u{882}'
            | '\u{886}'
            | '\u{889}'..='\u{88f}'
            | '\u{8a0}'..='\u{8ac}'
            | '\u{8ae}'..='\u{8c8}'
    )
}

/// Returns whether an Arabic letter joins the next one: `Joining_Type` D, which is all of the above
/// except these.
pub(super) const fn joins_next(c: char) -> bool {
    let joins_previous_alone = matches!(
        c,
        '\u{622}'..='\u{625}'
            | '\u{627}'
            | '\u{629}'
            | '\u{62f}'..='\u{632}'
            | '\u{648}'
            | '\u{671}'..='\u{673}'
            | '\u{675}'..='\u{677}'
            | '\u{688}'..='\u{699}'
            | '\u{6c0}'
            | '\u{6c3}'..='\u{6cb}'
            | '\u{6cd}'
            | '\u{6cf}'
            | '\u{6d2}'..='\u{6d3}'
            | '\u{6d5}'
            | '\u{6ee}'..='\u{6ef}'
            | '\u{759}'..='\u{75b}'
            | '\u{76b}'..='\u{76c}'
            | '\u{771}'
            | '\u{773}'..='\u{774}'
            | '\u{778}'..='\u{779}'
            | '\u{870}'..='\u{882}'
            | '\u{88e}'
            | '\u{8aa}'..='\u{8ac}'
            | '\u{8ae}'
            | '\u{8b1}'..='\u{8b2}'
            | '\u{8b9}'
    );
    joins_previous(c) && !joins_previous_alone
}

/// Returns whether it is a vowel mark of Arabic. These combine with a letter and do not change how it joins:
/// those of `Joining_Type` T that are part of spelling.
pub(super) const fn is_arabic_vowel_mark(c: char) -> bool {
    matches!(c, '\u{64b}'..='\u{65f}' | '\u{670}')
}

/// Returns whether it is a virama of the scripts of India and Sri Lanka: of those with
/// `Indic_Syllabic_Category` Virama (`IndicSyllabicCategory.txt`) the ones up to Sinhala.
pub(super) const fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{94d}'
            | '\u{9cd}'
            | '\u{a4d}'
            | '\u{acd}'
            | '\u{b4d}'
            | '\u{bcd}'
            | '\u{c4d}'
            | '\u{ccd}'
            | '\u{d4d}'
            | '\u{dca}'
    )
}

/// Returns whether the spelling has a joiner between this letter and this virama (the Unicode
/// Standard, chapters 12 and 13): ra in Bengali, Assamese and Kannada, and consonants of Sinhala
/// that touch.
pub(super) const fn touches(letter: char, virama: char) -> bool {
    matches!(
        (letter, virama),
        ('\u{9b0}' | '\u{9f0}', '\u{9cd}')
            | ('\u{cb0}', '\u{ccd}')
            | ('\u{d9a}'..='\u{dc6}', '\u{dca}')
    )
}

/// Returns whether a letter belongs to the script of a virama: each of these scripts has a block of
/// 128 code points.
pub(super) fn is_letter_of(virama: char, c: char) -> bool {
    const BLOCK_BITS: u32 = 7;
    let block = |c: char| u32::from(c) >> BLOCK_BITS;
    c.is_alphabetic() && block(c) == block(virama)
}

/// The combining character that makes a keycap of the character before it.
pub(super) const KEYCAP: char = '\u{20e3}';

/// Returns whether the character may be in a keycap.
pub(super) const fn is_key(c: char) -> bool {
    matches!(c, '0'..='9' | '#' | '*')
}

/// The flag that the tags of other flags follow.
pub(super) const BLACK_FLAG: char = '\u{1f3f4}';

/// The tags of the flags of England, Scotland and Wales (`emoji-sequences.txt`): no others exist.
pub(super) const FLAG_TAGS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// Characters with a text style and an emoji style (`emoji-variation-sequences.txt`), without the
/// keys of keycaps.
const WITH_STYLES: &str = "\
    ©®‼⁉™ℹ↔↕↖↗↘↙↩↪⌚⌛⌨⏏⏩⏪⏫⏬⏭⏮⏯⏰⏱⏲⏳⏸⏹⏺Ⓜ▪▫▶◀◻◼◽◾☀☁☂☃☄☎☑\
    ☔☕☘☝☠☢☣☦☪☮☯☸☹☺♀♂♈♉♊♋♌♍♎♏♐♑♒♓♟♠♣♥♦♨♻♾♿⚒⚓⚔⚕⚖⚗⚙⚛⚜⚠⚡\
    ⚧⚪⚫⚰⚱⚽⚾⛄⛅⛈⛎⛏⛑⛓⛔⛩⛪⛰⛱⛲⛳⛴⛵⛷⛸⛹⛺⛽✂✅✈✉✊✋✌✍✏✒✔✖✝✡✨✳✴❄❇❌\
    ❎❓❔❕❗❣❤➕➖➗➡➰➿⤴⤵⬅⬆⬇⬛⬜⭐⭕〰〽㊗㊙🀄🅰🅱🅾🅿🈂🈚🈯🈷🌍🌎🌏🌕🌜🌡🌤🌥🌦🌧🌨🌩🌪\
    🌫🌬🌶🍸🍽🎓🎖🎗🎙🎚🎛🎞🎟🎧🎬🎭🎮🏂🏄🏆🏊🏋🏌🏍🏎🏔🏕🏖🏗🏘🏙🏚🏛🏜🏝🏞🏟🏠🏭🏳🏵🏷🐈🐕🐟🐦🐿👁\
    👂👆👇👈👉👍👎👓👪👽💣💰💳💻💿📋📚📟📤📥📦📪📫📬📭📷📹📺📻📽🔈🔍🔒🔓🕉🕊🕐🕑🕒🕓🕔🕕🕖🕗🕘🕙🕚🕛\
    🕜🕝🕞🕟🕠🕡🕢🕣🕤🕥🕦🕧🕯🕰🕳🕴🕵🕶🕷🕸🕹🖇🖊🖋🖌🖍🖐🖥🖨🖱🖲🖼🗂🗃🗄🗑🗒🗓🗜🗝🗞🗡🗣🗨🗯🗳🗺😐\
    🚇🚍🚑🚔🚘🚭🚲🚹🚺🚼🛋🛍🛎🛏🛠🛡🛢🛣🛤🛥🛩🛰🛳";

/// Returns whether the character has a text style and an emoji style.
pub(super) fn has_styles(c: char) -> bool {
    WITH_STYLES.contains(c)
}

/// Returns whether the character may be part of a joined emoji: characters with styles, and the
/// blocks of emoji beyond those (`emoji-data.txt`). Which combinations exist is not checked: fonts
/// add some with each version.
pub(super) fn is_emoji(c: char) -> bool {
    let is_in_block = matches!(
        c,
        '\u{1f300}'..='\u{1f64f}'
            | '\u{1f680}'..='\u{1f6ff}'
            | '\u{1f7e0}'..='\u{1f7f0}'
            | '\u{1f90c}'..='\u{1f9ff}'
            | '\u{1fa70}'..='\u{1faff}'
    );
    is_in_block || has_styles(c)
}
