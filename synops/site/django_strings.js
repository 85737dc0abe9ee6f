// Strings of Django 5.2's admin scripts that its bokmål lacks, so that makemessages keeps them. Never served.

gettext("Choose %s by selecting them and then select the \"Choose\" arrow button.");
gettext("Choose all %s");
gettext("Choose selected %s");
gettext("Remove selected %s");
gettext("Remove %s by selecting them and then select the \"Remove\" arrow button.");
gettext("Type into this box to filter down the list of selected %s.");
gettext("(click to clear)");
gettext("Remove all %s");
ngettext("%s selected option not visible", "%s selected options not visible", 0);
gettext("Sunday");
gettext("Monday");
gettext("Tuesday");
gettext("Wednesday");
gettext("Thursday");
gettext("Friday");
gettext("Saturday");
pgettext("abbrev. day Sunday", "Sun");
pgettext("abbrev. day Monday", "Mon");
pgettext("abbrev. day Tuesday", "Tue");
pgettext("abbrev. day Wednesday", "Wed");
pgettext("abbrev. day Thursday", "Thur");
pgettext("abbrev. day Friday", "Fri");
pgettext("abbrev. day Saturday", "Sat");
