"""python-varlink calls every method of a daemon in every state of its store."""

import time

import wire
from cases import case
from python_client import connect, refusal
import states
from states import AVATAR, OTHER_UID, UID

NEED_ACCOUNT = {"GetAccount": {}, "GetToken": {}, "CheckExpiry": {},
                "UpdateProfile": {"screen_name": "made up"}, "Export": {}}
CHANGES = {"Login": wire.login_parameters(uid=UID), "UpdateProfile": {"screen_name": "made up"},
           "Logout": {}, "Verify": {}, "Repair": {}}


def must_refuse(account, error, methods):
    """Each of the methods is refused with that error."""
    for method, parameters in methods.items():
        refusal(error, getattr(account, method), **parameters)


@case
def every_method_answers_where_an_account_is_stored(room):
    daemon = room.daemon()
    with connect(daemon) as account:
        token = wire.made_up_token()
        stored = account.Login(access_token=token, uid=UID, expires_in=3600, screen_name="made up",
                               avatar_large=AVATAR, refresh_token="a.b")["account"]
        assert stored["uid"] == UID and stored["remaining"] <= 3600 and not stored["expired"]
        assert account.GetAccount()["account"]["screen_name"] == "made up"
        assert account.GetToken(60)["access_token"] == token
        assert account.GetToken()["uid"] == UID
        assert account.CheckExpiry(min_validity=7200)["valid"] is False
        assert account.CheckExpiry()["valid"] is True
        assert account.GetStatus()["status"]["state"] == "present"
        assert account.Export()["refresh_token"] == "a.b"
        assert account.UpdateProfile(screen_name="")["account"].get("screen_name") is None
        assert account.Verify() == {"findings": []}
        assert account.Repair()["account"]["uid"] == UID
        assert account.Logout(if_uid=UID) == {"uid": UID}


@case
def an_account_with_an_expiry_date_alone_has_no_other_times(room):
    daemon = room.daemon()
    with connect(daemon) as account:
        end = int(time.time()) + 3600
        login = {"access_token": wire.made_up_token(), "uid": UID, "expires_at": end}
        stored = account.Login(**login)["account"]
        assert stored["expires_at"] == end and "expires_in" not in stored
        assert "refresh_token" not in account.Export()


@case
def a_token_that_weibo_has_refused_says_so(room):
    with connect(states.refused_by_weibo(room)) as account:
        assert account.GetAccount()["account"]["refused"] == states.REFUSED_CODE


@case
def an_empty_store_has_no_account(room):
    with connect(room.daemon()) as account:
        must_refuse(account, "NoAccount", {**NEED_ACCOUNT, "Logout": {}})
        refusal("NoAccount", account.Logout, if_uid=UID)
        assert account.GetStatus()["status"]["state"] == "empty"
        assert account.Verify() == {"findings": []}
        assert account.Repair() == {}


@case
def an_expired_token_is_not_given_out(room):
    with connect(states.expired(room)) as account:
        said = refusal("TokenExpired", account.GetToken)
        assert said["remaining"] in range(-65, -59), said
        assert account.CheckExpiry()["valid"] is False
        assert account.GetAccount()["account"]["expired"] is True
        account.Login(**wire.login_parameters(uid=UID))
        said = refusal("TokenExpired", account.GetToken, 10**9)
        assert said["remaining"] > 0, said


@case
def a_locked_store_says_so_until_the_key_is_back(room):
    daemon = states.locked(room)
    with connect(daemon) as account:
        must_refuse(account, "Locked", {**NEED_ACCOUNT, "Logout": {"if_uid": UID}, "Repair": {},
                                        "Login": wire.login_parameters(uid=UID)})
        assert account.GetStatus()["status"]["state"] == "locked"
        assert len(account.Verify()["findings"]) == 1
        states.put_key_back(daemon)
        assert account.Repair()["account"]["uid"] == UID
        assert account.GetToken()["uid"] == UID


@case
def a_damaged_store_says_so_until_it_is_repaired(room):
    with connect(states.damaged(room)) as account:
        refused = {**NEED_ACCOUNT, "Logout": {"if_uid": UID}, "Repair": {},
                   "Login": wire.login_parameters(uid=UID)}
        for method, parameters in refused.items():
            said = refusal("StoreDamaged", getattr(account, method), **parameters)
            assert "account.plist.sealed" in said["what"], said
        assert account.GetStatus()["status"]["state"] == "damaged"
        assert account.Logout() == {}, "nobody knows whose account it was"
    with connect(states.damaged(room, mendable=True)) as account:
        assert "previous generation" in refusal("StoreDamaged", account.GetToken)["what"]
        assert account.Repair()["account"]["uid"] == UID


@case
def a_change_that_the_system_refuses_fails_with_its_errno(room):
    with connect(states.without_store(room)) as account:
        for method, parameters in CHANGES.items():
            said = refusal("StoreFailed", getattr(account, method), **parameters)
            assert said["errno"] == 20 and "state is not a directory" in said["message"], said
        assert account.GetToken()["uid"] == UID, "queries are answered all the same"


@case
def another_account_is_neither_replaced_nor_removed_unasked(room):
    with connect(states.present(room)) as account:
        other = wire.login_parameters(uid=OTHER_UID)
        assert refusal("AccountExists", account.Login, **other) == {"uid": UID}
        assert refusal("AccountExists", account.Logout, if_uid=OTHER_UID) == {"uid": UID}
        assert account.Login(**other, replace=True)["account"]["uid"] == OTHER_UID


@case
def a_value_that_no_field_may_have_is_named(room):
    wrong = {"access_token": "a b", "uid": "12x", "expires_in": 0, "issued_at": -1,
             "screen_name": "x" * 257, "avatar_large": "x" * 2049, "refresh_token": ""}
    with connect(states.present(room)) as account:
        for field, value in wrong.items():
            parameters = {**wire.login_parameters(uid=UID), field: value}
            said = refusal("InvalidField", account.Login, **parameters)
            assert said["field"] == field and said["reason"], said
        both = {**wire.login_parameters(uid=UID), "expires_at": 2**33}
        assert refusal("InvalidField", account.Login, **both)["field"] == "expires_at"
        assert refusal("InvalidField", account.UpdateProfile, screen_name="x" * 257)["reason"]
        for method in (account.GetToken, account.CheckExpiry):
            assert refusal("InvalidField", method, -1)["field"] == "min_validity"
