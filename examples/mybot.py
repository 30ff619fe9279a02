from kiery_client import Bot, run


class MyBot(Bot):
    def pass_cards(self, observation):
        return observation.hand[-observation.choose_count :]  # the highest; hands are sorted

    def play(self, observation):
        return observation.legal[0]  # the lowest


if __name__ == "__main__":
    run(MyBot())
